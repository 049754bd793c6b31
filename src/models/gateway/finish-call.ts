import type { ModelAttempt, ModelCallRow } from "../../domain/model/call-row.ts";
import { costOf, expectUsage } from "../../domain/model/cost.ts";
import type { ModelFailureKind } from "../../domain/model/failure.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import type { TokenUsage } from "../../domain/model/usage.ts";
import { routePolicy } from "../../domain/route/policy.ts";
import { addCall, addOutcome, type Tally, type TallyKey, toCostRatio } from "../../domain/route/tally.ts";
import type { Db } from "../../store/engine/db.ts";
import { storeCallWithin, storeQuality } from "../../store/models/calls.ts";
import { settle } from "../../store/models/reservations.ts";
import { storeRoute } from "../../store/models/routes.ts";
import { changeTally } from "../../store/models/tallies.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayAnswer } from "./gateway.ts";
import type { RunningCall } from "./running-call.ts";
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
    repeats: call.repeats,
    attempts: attempts.map((one) => toAttemptRow(one, now)),
  };
}

function toAttemptRow(attempt: Attempt, now: number): ModelAttempt {
  const { ref, at, failure, usage, cost, price } = attempt;
  return {
    ...ref,
    at,
    ms: durationOf(attempt, now),
    failure: failure?.kind ?? null,
    usage,
    cost,
    price: price?.isKnown === true ? price.price : null,
  };
}

function durationOf({ at, endedAt }: Attempt, now: number): number {
  return (endedAt ?? now) - at;
}

function cachedTokens(attempt: Attempt | undefined): number {
  return attempt === undefined ? 0 : attempt.usage.cached + attempt.usage.cacheWrite;
}

/** A call counts once for each model that it tried. An attempt is an outcome only if it failed or brought nothing: nobody has judged the others. */
async function learn(tx: Db, call: RunningCall, now: number): Promise<void> {
  const { request, complexity, choice, attempts } = call;
  const expected = expectUsage(request.chat);
  const first = attempts[0] && formatModelRef(attempts[0].ref);
  // All writers use the same order, so that two of them cannot deadlock.
  for (const model of [...new Set(attempts.map(({ ref }) => formatModelRef(ref)))].toSorted()) {
    const own = attempts.filter(({ ref }) => formatModelRef(ref) === model);
    const key: TallyKey = { taskType: request.taskType, complexity, model, attempt: choice.attempt };
    const called = {
      cost: own.reduce((sum, { cost }) => sum + cost, 0),
      costRatio: costRatioOf(own, expected),
      latencyMs: own.reduce((sum, attempt) => sum + durationOf(attempt, now), 0),
      explored: choice.explored && model === first,
      at: now,
    };
    await changeTally(tx, key, now, (before) =>
      own.reduce((tally, attempt) => addAttempt(tally, attempt, now), addCall(before, called, routePolicy)),
    );
  }
  // So that a later verdict replaces it.
  if (isEmptyAnswer(attempts.at(-1)))
    await storeQuality(tx, { call: call.id, at: now, quality: 0, source: "heuristic", note: null });
}

/** Only attempts that were billed say what a call costs. */
function costRatioOf(attempts: readonly Attempt[], expected: TokenUsage): number {
  const ratios = attempts.flatMap(({ price, cost }) =>
    price === null || cost === 0 ? [] : [toCostRatio(cost, costOf(price.price, expected))],
  );
  return ratios.length === 0 ? 1 : ratios.reduce((sum, one) => sum + one, 0);
}

function addAttempt(called: Tally, attempt: Attempt, now: number): Tally {
  const { failure } = attempt;
  const counts = isEmptyAnswer(attempt) || (failure !== null && NO_RESULT.has(failure.kind));
  return counts ? addOutcome(called, { quality: 0, verified: false, at: now }, routePolicy) : called;
}

/** The model answered, but with nothing. */
function isEmptyAnswer(attempt: Attempt | undefined): boolean {
  if (attempt?.finish == null || attempt.failure !== null) return false;
  return !attempt.finish.message.parts.some(
    (part) => part.kind === "tool-call" || (part.kind === "text" && part.text !== ""),
  );
}

/**
 * The attempt failed. That is a guess about the model, never a verdict: an answer is damaged by a proxy, a login page or one bad
 * stream as well as by the model, and only a check or a person may take the owner's default away.
 */
const NO_RESULT: ReadonlySet<ModelFailureKind> = new Set([
  "timeout",
  "rate-limited",
  "overloaded",
  "unreachable",
  "cut-off",
  "malformed",
  "refused",
]);
