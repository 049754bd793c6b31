import {
  addFailure,
  addSuccess,
  type Breaker,
  getBreakerState,
  openUntil,
  returnProbe,
  takeProbe,
} from "../../domain/model/breaker.ts";
import { findDefaultModel } from "../../domain/model/endpoint.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import type { ModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { ownProcessRef } from "../../lib/process-ref.ts";
import { changeBreaker, listBreakers } from "../../store/models/breakers.ts";
import { ModelCallError } from "../chat/chat.ts";
import { findEndpoint } from "../providers/registry.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayRequest } from "./gateway.ts";
import type { Attempt } from "./send-attempt.ts";
import { explainHeldBack, explainStillDown, listKnownModels, parseChain } from "./usable-models.ts";

/** Whether a provider may be called. `clean`: it has not failed since its last success. */
export type BreakerGate =
  | { readonly kind: "clean" }
  | { readonly kind: "failed-before" }
  /** This call alone tries the provider. */
  | { readonly kind: "trial"; readonly probe: Pick<Breaker, "probeUntil" | "probeBy"> }
  | { readonly kind: "open"; readonly failure: ModelFailure };

/** If the breaker is half-open, the first caller gets through and the others see it as open. */
export async function checkBreaker(parts: OpenParts, { provider }: ModelRef): Promise<BreakerGate> {
  const { db, clock, breaker: policy } = parts;
  const [now, by] = [clock.now(), ownProcessRef()];
  const breaker = (await listBreakers(db)).find((one) => one.provider === provider);
  if (breaker === undefined || breaker.failures === 0) return { kind: "clean" };
  if (getBreakerState(breaker, now) === "closed") return { kind: "failed-before" };
  const taken = await changeBreaker(db, provider, (before) => takeProbe(before, { now, by }, policy));
  if (taken !== null) return { kind: "trial", probe: taken };
  const isDown = breaker.why === "unreachable";
  if (isDown && (await isBack(parts, provider))) return { kind: "failed-before" };
  const retryAfterMs = Math.max(0, (openUntil(breaker) ?? now) - now);
  const kind = breaker.why ?? "overloaded";
  return {
    kind: "open",
    failure: {
      kind,
      status: null,
      retryAfterMs,
      message: isDown ? explainStillDown(breaker) : explainHeldBack(breaker),
    },
  };
}

/**
 * Looks whether providers that could not be reached are back, before a choice leaves their models out: servers on this machine,
 * and the provider of the default model. True for each that answers; the others that were looked at are false.
 */
export async function lookForBack(
  parts: OpenParts,
  { model, mayUseOthers, isTest }: Pick<GatewayRequest, "model" | "mayUseOthers" | "isTest">,
): Promise<ReadonlyMap<string, boolean>> {
  const { db, clock, config } = parts;
  if (model !== undefined && (mayUseOthers !== true || isTest === true)) return new Map();
  const standard = findDefaultModel(config.providers)?.provider;
  const used = listKnownModels(config.providers, parseChain(config.policy.models.chain)).map((ref) => ref.provider);
  const isLocal = (name: string) => findEndpoint(name, config.providers)?.isLoopback === true;
  const down = (await listBreakers(db)).filter(
    (one) => one.why === "unreachable" && getBreakerState(one, clock.now()) === "open" && used.includes(one.provider),
  );
  const names = down.map(({ provider }) => provider).filter((name) => name === standard || isLocal(name));
  return new Map(await Promise.all(names.map(async (name) => [name, await isBack(parts, name)] as const)));
}

/** A provider that was down is used as soon as it is up again: to look costs nothing. */
async function isBack({ provider }: OpenParts, name: string): Promise<boolean> {
  try {
    const { listModels } = await provider(name);
    await listModels?.(AbortSignal.timeout(LOOK_MS));
    return listModels !== null;
  } catch (error) {
    // A server that answers with an error is up.
    if (error instanceof ModelCallError) return error.failure.status !== null;
    if (error instanceof OldhandError) return false;
    throw error;
  }
}

const LOOK_MS = 1_000;

/** Gives the trial back, unless its result is known: the next call may try the provider. */
export async function returnTrial({ db }: OpenParts, { provider }: ModelRef, gate: BreakerGate): Promise<void> {
  if (gate.kind === "trial") await changeBreaker(db, provider, (before) => returnProbe(before, gate.probe));
}

/** Records the result of an attempt. Skips attempts that were not sent, and successes of a provider that was not failing. */
export async function noteForBreaker(
  { db, clock, breaker: policy }: OpenParts,
  { ref, failure, isSent }: Attempt,
  gate: BreakerGate,
): Promise<void> {
  const now = clock.now();
  if (!isSent || (failure === null && gate.kind === "clean")) return;
  await changeBreaker(db, ref.provider, (before) => {
    if (failure === null) return before.failures === 0 && before.until === null ? null : addSuccess(before);
    const after = addFailure(before, failure, now, policy);
    return after.failures === before.failures && after.probeUntil === before.probeUntil ? null : after;
  });
}
