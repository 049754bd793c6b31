import type { ProviderSettings } from "../../domain/model/endpoint.ts";
import { formatWaitTime } from "../../domain/model/describe-wait.ts";
import { CLOSED } from "../../domain/model/failure.ts";
import { explainNowLeftOut } from "../../domain/model/retired-model.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { adviseKey, findEndpoint } from "../providers/registry.ts";
import type { FailedModel } from "./gateway.ts";

/** What a person can do about a call that nobody answered. Each is the end of a sentence, without a full stop. */
export function findRemedies(failures: readonly FailedModel[], settings: ProviderSettings): readonly string[] {
  // What helps one model of a provider helps its others.
  const tried = failures.filter(({ isUntried }) => isUntried !== true);
  const firsts = tried.filter((one, at) => tried.findIndex((other) => isSameTrouble(one, other)) === at);
  const leftOut = tried.filter(({ isLeftOut }) => isLeftOut === true);
  return [
    ...leftOut.map(({ model }) => explainNowLeftOut(formatModelRef(model))),
    ...firsts.map((one) => findRemedy(one, settings)),
  ];
}

function isSameTrouble(a: FailedModel, b: FailedModel): boolean {
  return a.model.provider === b.model.provider && a.failure.kind === b.failure.kind;
}

function findRemedy({ model, failure, isHeldBack }: FailedModel, settings: ProviderSettings): string {
  const endpoint = findEndpoint(model.provider, settings);
  const test = `oldhand models test ${formatModelRef(model)}`;
  switch (failure.kind) {
    case "auth":
      return `${endpoint === null ? `check the key of ${model.provider}` : adviseKey(endpoint, settings.env)}, then try: ${test}`;
    case "quota":
      return failure.retryAfterMs !== null && failure.retryAfterMs > 0
        ? `wait ${formatWaitTime(failure.retryAfterMs)}, or see to credit and limits at ${model.provider}, then try: ${test}`
        : `add credit at ${model.provider}, then try: ${test}`;
    case "unreachable":
      if (failure.message.includes(CLOSED))
        return `look why the server at ${endpoint?.url ?? "its address"} closes connections, then try: ${test}`;
      return endpoint?.isLoopback === true
        ? `start the server at ${endpoint.url ?? "its address"}, then try: ${test}`
        : `check the network and the address of ${model.provider}, then try: ${test}`;
    case "no-such-model":
      return `oldhand models list ${model.provider} shows its models`;
    case "too-long":
      return "send less: a shorter text, or fewer files; in a chat, /compact";
    case "bad-request":
      return `check the address of ${model.provider}, and whether a small request works: ${test}`;
    case "refused":
      return "write it differently, or use another model";
    case "cap":
      if (failure.isUnpriced === true)
        return "check the name of the model, or add its price to your price file (oldhand config set models.prices FILE)";
      return "oldhand models caps shows what is left";
    case "aborted":
      return "oldhand models caps shows what is left";
    case "rate-limited":
    case "overloaded":
    case "timeout":
    case "cut-off": {
      if (isHeldBack === true) return `to try it now: ${test}`;
      const seconds = Math.ceil((failure.retryAfterMs ?? 0) / 1_000);
      return `wait ${seconds > 0 ? `${seconds} s` : "a minute"}, then try: ${test}`;
    }
    case "malformed":
      // With a status it is not the answer of a model.
      return failure.status === null
        ? `send it again, or use another model; whether a small request works: ${test}`
        : `check the address of ${model.provider}: another server answers there, such as a proxy or the sign-in page of a network; then try: ${test}`;
  }
}
