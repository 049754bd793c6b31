import type { ModelAttempt, ModelCallRow } from "../../domain/model/call-row.ts";
import type { ModelFailureKind } from "../../domain/model/failure.ts";
import { guessQuality, isNeutralGuess } from "../../domain/model/guess-quality.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { routePolicy } from "../../domain/route/policy.ts";
import { addCall, addOutcome, type Tally, type TallyKey } from "../../domain/route/tally.ts";
import type { Db } from "../../store/engine/db.ts";
import { storeCallWithin, storeQuality } from "../../store/models/calls.ts";
import { settle } from "../../store/models/reservations.ts";
import { storeRoute } from "../../store/models/routes.ts";
import { changeTally } from "../../store/models/tallies.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayAnswer } from "./gateway.ts";
import type { RunningCall } from "./run-call.ts";
import type { Attempt } from "./send-attempt.ts";

/** In one transaction: settles open reservations, stores the row and the router's log, and updates the router's tallies. */
export function finishCall({ db, clock }: OpenParts, call: RunningCall, answer: GatewayAnswer): Promise<void> {
  const now = clock.now();
  return db.tx(async (tx) => {
    for (const attempt of call.attempts)
      if (attempt.reservation !== null) await settle(tx, attempt.reservation, { cost: attempt.cost, now });
    await storeCallWithin(tx, toRow(call, answer, now));
    if (answer.cached) await call.request.keepAnswer?.(tx, answer);
    if (call.attempts.length === 0 || call.request.isTest === true) return;
    await storeRoute(tx, {
      call: call.id,
      at: call.at,
      agent: call.request.agent,
      session: call.request.session ?? null,
      taskType: call.request.taskType,
      complexity: call.complexity,
      model: formatModelRef(answer.model),
      best: call.choice.best,
      attempt: call.choice.attempt,
      explored: call.choice.explored,
      cachedTokens: cachedTokens(call.attempts.at(-1)),
    });
    await learn(tx, call, now);
  });
}

function toRow(call: RunningCall, answer: GatewayAnswer, now: number): ModelCallRow {
  const { request, attempts, choice } = call;
  const answered = attempts.at(-1);
  return {
    id: call.id,
    at: call.at,
    way: "gateway",
    agent: request.agent,
    session: request.session ?? null,
    job: request.job ?? null,
    goal: request.goal ?? null,
    taskType: request.taskType,
    complexity: call.complexity,
    provider: answer.model.provider,
    model: answer.model.model,
    outcome: answer.outcome,
    failure: answer.failure?.kind ?? null,
    ms: now - call.at,
    firstTokenMs: answered?.firstTokenAt == null ? null : answered.firstTokenAt - call.at,
    usage: answer.usage,
    cost: answer.cost,
    priceKnown: attempts.every(({ price }) => price?.isKnown === true),
    listPrice: false,
    healed: answer.healed,
    explored: choice.explored,
    route: answer.route,
    attempts: attempts.map((one, number) => toAttemptRow(one, attempts[number + 1]?.at ?? now)),
  };
}

function toAttemptRow({ ref, at, failure, usage, cost, price }: Attempt, end: number): ModelAttempt {
  return {
    ...ref,
    at,
    ms: end - at,
    failure: failure?.kind ?? null,
    usage,
    cost,
    price: price?.isKnown === true ? price.price : null,
  };
}

function cachedTokens(attempt: Attempt | undefined): number {
  return attempt === undefined ? 0 : attempt.usage.cached + attempt.usage.cacheWrite;
}

/** Every attempt counts for its model, even a failed one. */
async function learn(tx: Db, call: RunningCall, now: number): Promise<void> {
  const { request, complexity, choice, attempts } = call;
  const learned = attempts.map((attempt, number) => {
    const model = formatModelRef(attempt.ref);
    const key: TallyKey = { taskType: request.taskType, complexity, model, attempt: choice.attempt };
    return { key, attempt, explored: choice.explored && number === 0, end: attempts[number + 1]?.at ?? now };
  });
  // All writers use the same order, so that two of them cannot deadlock.
  for (const { key, attempt, explored, end } of learned.toSorted((a, b) => (a.key.model < b.key.model ? -1 : 1)))
    await changeTally(tx, key, now, (before) => addAttempt(before, attempt, { explored, ms: end - attempt.at, now }));
  const guess = guessOf(attempts.at(-1));
  if (guess !== null && !isNeutralGuess(guess))
    await storeQuality(tx, { call: call.id, at: now, quality: guess, source: "heuristic", note: null });
}

function addAttempt(
  before: Tally,
  attempt: Attempt,
  { explored, ms, now }: { readonly explored: boolean; readonly ms: number; readonly now: number },
): Tally {
  const called = addCall(before, { cost: attempt.cost, latencyMs: ms, explored, at: now }, routePolicy);
  const { failure } = attempt;
  if (failure !== null) {
    const verified = MODEL_FAILURES.has(failure.kind);
    const counts = verified || PROVIDER_TROUBLE.has(failure.kind);
    return counts ? addOutcome(called, { quality: 0, verified, at: now }, routePolicy) : called;
  }
  const quality = guessOf(attempt);
  return quality === null ? called : addOutcome(called, { quality, verified: false, at: now }, routePolicy);
}

function guessOf(attempt: Attempt | undefined): number | null {
  if (attempt?.finish == null) return null;
  const { reason, message } = attempt.finish;
  const isEmpty = !message.parts.some(
    (part) => part.kind === "tool-call" || (part.kind === "text" && part.text !== ""),
  );
  return guessQuality({ reason, isEmpty });
}

/** The model did not do the task. */
const MODEL_FAILURES: ReadonlySet<ModelFailureKind> = new Set(["malformed", "refused"]);
/** No answer came. That says little about the model, so it counts only as a guess. */
const PROVIDER_TROUBLE: ReadonlySet<ModelFailureKind> = new Set([
  "timeout",
  "rate-limited",
  "overloaded",
  "unreachable",
  "cut-off",
]);
