import type { CallOutcome } from "../../domain/model/call-row.ts";
import { complexityOf } from "../../domain/model/complexity.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { addUsage, noUsage } from "../../domain/model/usage.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { lookForBack } from "./breaker-gate.ts";
import { chooseModels } from "./choose-models.ts";
import { finishCall } from "./finish-call.ts";
import type { OpenParts } from "./gateway-parts.ts";
import { findRemedies } from "./find-remedies.ts";
import type { GatewayAnswer, GatewayEvent, GatewayRequest } from "./gateway.ts";
import { bringBackMoved } from "./note-retired.ts";
import { abortedFailure, type RunningCall, wasSent } from "./running-call.ts";
import { errorFailure, redactKnown } from "./send-attempt.ts";
import { tryTargets } from "./try-targets.ts";
import { noModelError } from "./usable-models.ts";
import { findCached, keepResponse } from "./use-response-cache.ts";

/**
 * Runs one call: chooses a model, reserves, sends, heals, settles, and stores one row. The row is stored even if the consumer of
 * the events stops early.
 */
export async function* runCall(parts: OpenParts, asked: GatewayRequest): AsyncGenerator<GatewayEvent> {
  const at = parts.clock.now();
  const complexity = asked.complexity ?? complexityOf(asked.taskType);
  const id = newId("mc", at);
  const cached = await findCached(parts, asked, complexity, at);
  if (cached !== null) {
    const { message, text, model } = cached;
    const choice = { targets: [model], attempt: "first", explored: false, best: null, route: null } as const;
    const written = cached.call === undefined ? "" : ` in the call ${cached.call}`;
    const why = [`The answer is from the response cache; ${formatModelRef(model)} wrote it${written}.`];
    const call = {
      id,
      at,
      request: asked,
      complexity,
      choice: { ...choice, why },
      attempts: [],
      notes: [],
      failures: [],
      repeats: cached.call,
      capped: null,
      reported: 0,
    };
    const answer = { ...toAnswer(parts, call, "cached", null), text, storedText: text, message };
    await finishCall(parts, call, answer);
    if (text !== "") yield { kind: "text", text };
    yield { kind: "finish", reason: "stop", usage: noUsage, message, model: model.model };
    yield { kind: "end", answer };
    return;
  }
  await parts.unstored.storeRest();
  await bringBackMoved(parts);
  const request = asked.makeChat === undefined ? asked : { ...asked, chat: await asked.makeChat() };
  const prices = await parts.prices();
  const looked = await lookForBack(parts, request);
  const choice = await chooseModels({ ...parts, prices, looked }, request, at);
  if (choice.targets.length === 0 && choice.route === null) throw noModelError(choice.why);
  const nothing = { attempts: [], notes: [], failures: [], capped: null, reported: 0 };
  const call: RunningCall = { id, at, request, complexity, choice, ...nothing };
  let hasEnded = false;
  const end = async (outcome: CallOutcome, failure: ModelFailure | null): Promise<GatewayAnswer> => {
    hasEnded = true;
    const answer = toAnswer(parts, call, outcome, failure);
    const { keepAnswer } = request;
    const steps = [
      () => finishCall(parts, call, answer),
      ...(outcome === "ok" ? [() => keepResponse(parts, call, answer)] : []),
      ...(outcome === "ok" && keepAnswer !== undefined ? [() => parts.db.tx((tx) => keepAnswer(tx, answer))] : []),
    ];
    // What was paid is not lost because it cannot be stored.
    if (wasSent(call)) return { ...answer, unstored: await parts.unstored.store(steps) };
    for (const step of steps) await step();
    return answer;
  };
  try {
    const { outcome, failure } = yield* tryTargets(parts, call);
    yield { kind: "end", answer: await end(outcome, failure) };
  } catch (error) {
    if (hasEnded) throw error;
    const failure = errorFailure(error, call.attempts.at(-1));
    call.notes.push(`The call ended with an error: ${failure.message}.`);
    if (!(error instanceof OldhandError) || !wasSent(call)) {
      // The caller must hear of this error, not of one that storing the call meets after it.
      await (isAnswered(call) ? end("ok", null) : end("failed", failure)).catch(() => {});
      throw error;
    }
    // The store failed between two attempts, so no other one can be reserved.
    yield { kind: "end", answer: await end("failed", call.failures.at(-1)?.failure ?? failure) };
  } finally {
    // The consumer stopped, maybe after it had the whole answer.
    if (!hasEnded) await (isAnswered(call) ? end("ok", null) : end("aborted", abortedFailure));
  }
}

function isAnswered({ attempts }: RunningCall): boolean {
  return attempts.at(-1)?.finish != null;
}

/** The last failure of each model. */
function lastOfEach(failures: RunningCall["failures"]): RunningCall["failures"] {
  return [...new Map(failures.map((one) => [formatModelRef(one.model), one])).values()];
}

function toAnswer(
  { clock, config }: OpenParts,
  call: RunningCall,
  outcome: CallOutcome,
  failure: ModelFailure | null,
): GatewayAnswer {
  const { attempts, choice, request } = call;
  const last = attempts.at(-1);
  const ref = last?.ref ?? choice.targets[0] ?? request.failed?.at(-1) ?? { provider: "none", model: "none" };
  const failures = lastOfEach(call.failures);
  return {
    call: call.id,
    outcome,
    failure,
    failures,
    remedies: outcome === "failed" ? findRemedies(failures, config.providers) : [],
    isPinned: request.model !== undefined && request.mayUseOthers !== true,
    text: last?.text ?? "",
    storedText: last === undefined ? "" : redactKnown(last, last.sentText),
    message: last?.finish?.message ?? null,
    model: ref,
    usage: attempts.reduce((sum, one) => addUsage(sum, one.usage), noUsage),
    lastUsage: last?.usage ?? noUsage,
    cost: attempts.reduce((sum, one) => sum + one.cost, 0),
    isCut: last?.finish?.reason === "length",
    cached: outcome === "cached",
    healed: outcome === "ok" && attempts.length > 1,
    route: [...choice.why, ...call.notes],
    ms: clock.now() - call.at,
    unstored: null,
    cap: outcome === "capped" ? (call.capped?.cap ?? null) : null,
  };
}
