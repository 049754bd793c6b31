import { setTimeout as wait } from "node:timers/promises";
import { addFailure, addSuccess, getBreakerState, isOfProvider, takeProbe } from "../../domain/model/breaker.ts";
import type { CallOutcome } from "../../domain/model/call-row.ts";
import { explainCapHit } from "../../domain/model/caps.ts";
import { complexityOf } from "../../domain/model/complexity.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { afterFailure } from "../../domain/model/retry.ts";
import { addUsage, noUsage } from "../../domain/model/usage.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import { newId } from "../../lib/ids.ts";
import { changeBreaker, listBreakers } from "../../store/models/breakers.ts";
import { settle } from "../../store/models/reservations.ts";
import { choosePrice } from "../prices/choose-price.ts";
import { chooseModels, type ModelChoice } from "./choose-models.ts";
import { finishCall } from "./finish-call.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayAnswer, GatewayEvent, GatewayRequest } from "./gateway.ts";
import { noteRetired } from "./note-retired.ts";
import { type Attempt, newAttempt, sendAttempt } from "./send-attempt.ts";
import { findCached, keepResponse } from "./use-response-cache.ts";

/** A call under way. */
export interface RunningCall {
  readonly id: string;
  readonly at: number;
  readonly request: GatewayRequest;
  readonly complexity: Complexity;
  readonly choice: ModelChoice;
  readonly attempts: Attempt[];
  /** What happened after the choice, in sentences. */
  readonly notes: string[];
}

/**
 * One call: chosen, reserved, sent, healed, settled, stored as one row. The row is written also if whoever reads the events
 * stops in the middle.
 */
export async function* runCall(parts: OpenParts, request: GatewayRequest): AsyncGenerator<GatewayEvent> {
  const at = parts.clock.now();
  const complexity = request.complexity ?? complexityOf(request.taskType);
  const id = newId("mc", at);
  const cached = await findCached(parts, request, complexity, at);
  if (cached !== null) {
    const { message, text, model } = cached;
    const choice = { targets: [model], attempt: "first", explored: false, best: null, route: null } as const;
    const why = [`The answer is from the response cache; ${formatModelRef(model)} gave it.`];
    const call = { id, at, request, complexity, choice: { ...choice, why }, attempts: [], notes: [] };
    const answer = { ...describe(parts, call, "cached", null), text, message };
    await finishCall(parts, call, answer);
    if (text !== "") yield { kind: "text", text };
    yield { kind: "finish", reason: "stop", usage: noUsage, message, model: model.model };
    yield { kind: "end", answer };
    return;
  }
  const prices = await parts.prices();
  const choice = await chooseModels({ ...parts, prices }, request, at);
  const call: RunningCall = { id, at, request, complexity, choice, attempts: [], notes: [] };
  let isStored = false;
  const end = async (outcome: CallOutcome, failure: ModelFailure | null): Promise<GatewayAnswer> => {
    isStored = true;
    const answer = describe(parts, call, outcome, failure);
    await finishCall(parts, call, answer);
    if (outcome === "ok") await keepResponse(parts, call, answer);
    return answer;
  };
  try {
    const { outcome, failure } = yield* tryTargets(parts, call);
    yield { kind: "end", answer: await end(outcome, failure) };
  } finally {
    // The whole answer may have been read before.
    const isAnswered = call.attempts.at(-1)?.finish != null;
    if (!isStored) await (isAnswered ? end("ok", null) : end("aborted", abortedFailure));
  }
}

const abortedFailure: ModelFailure = {
  kind: "aborted",
  status: null,
  retryAfterMs: null,
  message: "the caller stopped the call",
};

interface CallEnd {
  readonly outcome: CallOutcome;
  readonly failure: ModelFailure | null;
}

/** The chosen model, then the chain, until one answers or nothing helps. */
async function* tryTargets(parts: OpenParts, call: RunningCall): AsyncGenerator<GatewayEvent, CallEnd> {
  const { request } = call;
  const signal = request.signal ?? new AbortController().signal;
  const left = [...call.choice.targets];
  let last: CallEnd = { outcome: "failed", failure: noTarget(call) };
  let gate: Gate = { kind: "clean" };
  let triesHere = 0;
  let hasBegun = false;
  let restarts: { readonly from: ModelRef; readonly failure: ModelFailure } | null = null;
  for (let ref = left.shift(); ref !== undefined;) {
    if (triesHere === 0) gate = await checkBreaker(parts, ref);
    if (gate.kind === "open") {
      call.notes.push(`${formatModelRef(ref)} is passed over: ${gate.failure.message}.`);
      if (call.attempts.length === 0) last = { outcome: "failed", failure: gate.failure };
      ref = left.shift();
      continue;
    }
    const now = parts.clock.now();
    const attempt = newAttempt(
      ref,
      choosePrice(await parts.prices(), ref, now, parts.config.policy.models.unknownPrice),
      now,
    );
    triesHere++;
    if (restarts !== null) yield { kind: "restart", ...restarts, to: ref };
    restarts = null;
    call.attempts.push(attempt);
    for await (const event of sendAttempt(
      parts,
      request,
      { call: call.id, number: call.attempts.length, attempt },
      signal,
    )) {
      hasBegun ||= event.kind !== "finish";
      yield event;
    }
    if (attempt.cap !== null) {
      // Not sent: the cap is part of the call's end, not an attempt.
      call.attempts.pop();
      const hit = { kind: "cap", status: null, retryAfterMs: null, message: explainCapHit(attempt.cap) } as const;
      cappedBy.set(call, attempt);
      last = { outcome: "capped", failure: hit };
      call.notes.push(`${formatModelRef(ref)} is passed over: ${hit.message}.`);
      if (call.attempts.length === 0) return last;
      ref = left.shift();
      triesHere = 0;
      continue;
    }
    if (attempt.isSent && (gate.kind !== "clean" || attempt.failure !== null)) await noteForBreaker(parts, attempt);
    const { failure } = attempt;
    if (failure === null) return { outcome: "ok", failure: null };
    await settleEarly(parts, attempt);
    call.notes.push(`${formatModelRef(ref)} failed (${failure.kind}): ${failure.message}.`);
    if (failure.kind === "no-such-model") await noteRetired(parts, ref, failure);
    if (signal.aborted) return { outcome: "aborted", failure };
    last = { outcome: failure.kind === "aborted" ? "aborted" : "failed", failure };
    sortAway(left, ref, failure);
    const state = {
      triesHere,
      attempts: call.attempts.length,
      hasBegun,
      mayRestart: request.mayRestart === true,
      hasNext: left.length > 0,
    };
    const healing = afterFailure(failure, state, parts.healing, parts.random);
    if (healing.kind === "give-up") return last;
    if (hasBegun) restarts = { from: ref, failure };
    hasBegun = false;
    if (healing.kind === "next") {
      ref = left.shift();
      triesHere = 0;
    } else {
      const isOver = await waitFor(healing.waitMs, signal);
      if (!isOver) return { outcome: "aborted", failure: abortedFailure };
    }
  }
  return last;
}

/** The attempt that a cap stopped, for the answer. */
const cappedBy = new WeakMap<RunningCall, Attempt>();

/** After a failure of the whole provider, models of other providers go first. */
function sortAway(left: ModelRef[], { provider }: ModelRef, { kind }: ModelFailure): void {
  if (isOfProvider(kind)) left.sort((a, b) => Number(a.provider === provider) - Number(b.provider === provider));
}

/** Whether a provider may be called: `clean` if it has not failed since its last success. */
type Gate =
  | { readonly kind: "clean" }
  | { readonly kind: "failed-before" }
  | { readonly kind: "open"; readonly failure: ModelFailure };

/** A half-open breaker lets one call through. */
async function checkBreaker({ db, clock, breaker: policy }: OpenParts, { provider }: ModelRef): Promise<Gate> {
  const now = clock.now();
  const breaker = (await listBreakers(db)).find((one) => one.provider === provider);
  if (breaker === undefined || breaker.failures === 0) return { kind: "clean" };
  if (getBreakerState(breaker, now) === "closed") return { kind: "failed-before" };
  const taken = await changeBreaker(db, provider, (before) => takeProbe(before, now, policy));
  if (taken !== null) return { kind: "failed-before" };
  const message = `${provider} failed ${breaker.failures} times in a row and is not called for a while`;
  const retryAfterMs = breaker.until === null ? null : Math.max(0, breaker.until - now);
  return { kind: "open", failure: { kind: breaker.why ?? "overloaded", status: null, retryAfterMs, message } };
}

async function noteForBreaker({ db, clock, breaker: policy }: OpenParts, { ref, failure }: Attempt): Promise<void> {
  const now = clock.now();
  if (failure !== null) {
    await changeBreaker(db, ref.provider, (before) => {
      const after = addFailure(before, failure, now, policy);
      return after.failures === before.failures && after.probeUntil === before.probeUntil ? null : after;
    });
    return;
  }
  await changeBreaker(db, ref.provider, (before) =>
    before.failures === 0 && before.until === null ? null : addSuccess(before),
  );
}

/** What a failed attempt does not need is free for the next one. */
async function settleEarly({ db, clock }: OpenParts, attempt: Attempt): Promise<void> {
  if (attempt.reservation === null) return;
  await settle(db, attempt.reservation, { cost: attempt.cost, now: clock.now() });
  attempt.reservation = null;
}

/** False if the caller stopped meanwhile. */
async function waitFor(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await wait(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

function noTarget({ choice }: RunningCall): ModelFailure {
  return { kind: "refused", status: null, retryAfterMs: null, message: choice.why[0] ?? "no model is left to try" };
}

function describe(
  { clock }: OpenParts,
  call: RunningCall,
  outcome: CallOutcome,
  failure: ModelFailure | null,
): GatewayAnswer {
  const { attempts, choice, request } = call;
  const last = attempts.at(-1);
  const ref = last?.ref ?? choice.targets[0] ?? request.failed?.at(-1) ?? { provider: "none", model: "none" };
  return {
    call: call.id,
    outcome,
    failure,
    text: last?.text ?? "",
    message: last?.finish?.message ?? null,
    model: ref,
    usage: attempts.reduce((sum, one) => addUsage(sum, one.usage), noUsage),
    cost: attempts.reduce((sum, one) => sum + one.cost, 0),
    cached: outcome === "cached",
    healed: outcome === "ok" && attempts.length > 1,
    route: [...choice.why, ...call.notes],
    ms: clock.now() - call.at,
    cap: outcome === "capped" ? (cappedBy.get(call)?.cap ?? null) : null,
  };
}
