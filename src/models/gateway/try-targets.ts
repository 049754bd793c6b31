import { describeAnswerLimit } from "../../domain/model/answer-limit.ts";
import { setTimeout as wait } from "node:timers/promises";
import { isOfProvider } from "../../domain/model/breaker.ts";
import type { CallOutcome } from "../../domain/model/call-row.ts";
import { type CapHit, explainCapHit } from "../../domain/model/caps.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { explainNowLeftOut } from "../../domain/model/retired-model.ts";
import { afterFailure } from "../../domain/model/retry.ts";
import { settle } from "../../store/models/reservations.ts";
import { choosePrice } from "../prices/choose-price.ts";
import { type BreakerGate, checkBreaker, noteForBreaker, returnTrial } from "./breaker-gate.ts";
import { explainInstead } from "./explain-instead.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { FailedModel, GatewayEvent, GatewayRequest } from "./gateway.ts";
import { noteRetired } from "./note-retired.ts";
import { abortedFailure, type RunningCall, wasSent } from "./running-call.ts";
import { type Attempt, newAttempt, reserveAttempt, sendAttempt } from "./send-attempt.ts";
import { findStoreFailure } from "./unstored-calls.ts";

/**
 * Tries the chosen model, then the others in order, until one answers or no further attempt can help. A model that does not fit
 * under a cap is skipped: a cheaper or a free one may follow.
 */
export async function* tryTargets(parts: OpenParts, call: RunningCall): AsyncGenerator<GatewayEvent, CallEnd> {
  const signal = call.request.signal ?? new AbortController().signal;
  const trying: Trying = { left: call.choice.targets.map((ref) => ({ ref, tries: 0, waits: null })), restart: null };
  let last: CallEnd = { outcome: "failed", failure: noTarget(call) };
  for (let target = trying.left.shift(); target !== undefined; target = trying.left.shift()) {
    const { ref } = target;
    const gate = call.request.isTest === true ? FAILED_BEFORE : await checkBreaker(parts, ref);
    if (gate.kind === "open") {
      // Its own failure says more than that of the breaker which this call has opened.
      if (target.tries > 0) continue;
      passOver(call, { model: ref, failure: gate.failure, isHeldBack: true });
      if (call.attempts.length === 0) last = { outcome: "failed", failure: gate.failure };
      continue;
    }
    try {
      const end = yield* tryTarget(parts, call, { target, gate, trying, signal });
      last = end;
      if (!end.isFinal) continue;
      nameUntried(call, trying, end);
      return nameCap(call, end);
    } finally {
      await ignoreStoreFailureOnceSent(call, () => returnTrial(parts, ref, gate));
    }
  }
  return nameCap(call, last);
}

interface CallEnd {
  readonly outcome: CallOutcome;
  readonly failure: ModelFailure | null;
}

/** If a cap stopped the chosen model, the command that extends it helps more than the failure of the model that came instead. */
function nameCap({ attempts, capped, choice }: RunningCall, end: CallEnd): CallEnd {
  const hasBegun = (attempts.at(-1)?.characters ?? 0) > 0;
  if (capped === null || hasBegun || end.outcome !== "failed" || !isSameModel(capped.model, choice.targets[0]))
    return end;
  return { outcome: "capped", failure: capFailure(capped.cap) };
}

function isSameModel(model: ModelRef, other: ModelRef | undefined): boolean {
  return other !== undefined && formatModelRef(model) === formatModelRef(other);
}

/** The error names every model: also those whose turn did not come. */
function nameUntried(call: RunningCall, { left }: Trying, { outcome, failure, why }: TargetEnd): void {
  if (outcome !== "failed" || failure === null) return;
  for (const { ref } of left.filter(({ tries }) => tries === 0)) {
    const message = `not tried, because ${why ?? "the call ended"}`;
    call.failures.push({ model: ref, failure: { ...failure, retryAfterMs: null, message }, isUntried: true });
    call.notes.push(`${formatModelRef(ref)} is ${message}.`);
  }
}

/** A model of the chain, with the attempts that it had, and after a failure what is waited for before the next one. */
interface Target {
  readonly ref: ModelRef;
  readonly tries: number;
  readonly waits: { readonly until: number; readonly number: number; readonly failure: ModelFailure } | null;
}

type TargetEnd = CallEnd & { readonly isFinal: boolean; readonly why?: string };

interface Trying {
  readonly left: Target[];
  /** The attempt that broke off after the caller had a part of its answer. */
  restart: Pick<Restart, "from" | "failure"> | null;
}

/** Tries one model, again as long as that may help. */
async function* tryTarget(
  parts: OpenParts,
  call: RunningCall,
  turn: { readonly target: Target; readonly gate: BreakerGate; readonly trying: Trying; readonly signal: AbortSignal },
): AsyncGenerator<GatewayEvent, TargetEnd> {
  const { target, trying, signal } = turn;
  const { ref, waits } = target;
  let { gate } = turn;
  const { isTest, mayRestart = false } = call.request;
  const stopped = { outcome: "aborted", failure: abortedFailure, isFinal: true } as const;
  const pause = async function* (
    ms: number,
    { number, failure }: { readonly number: number; readonly failure: ModelFailure },
  ): AsyncGenerator<GatewayEvent, boolean> {
    yield { kind: "wait", number, model: ref, ms, failure };
    return waitFor(ms, signal);
  };
  const before = waits === null ? 0 : waits.until - parts.clock.now();
  if (waits !== null && before > 0 && !(yield* pause(before, waits))) return stopped;
  for (let triesHere = target.tries + 1; ; triesHere++) {
    const { attempt, hasBegun, maxTokens } = yield* send(parts, call, { ref, trying, signal });
    if (attempt.cap !== null) {
      call.capped ??= { model: ref, cap: attempt.cap };
      passOver(call, { model: ref, failure: capFailure(attempt.cap) });
      return { outcome: "capped", failure: capFailure(call.capped.cap), isFinal: false };
    }
    const { failure } = attempt;
    if (failure?.isUnpriced === true) {
      passOver(call, { model: ref, failure });
      return { outcome: "failed", failure, isFinal: false };
    }
    await ignoreStoreFailureOnceSent(call, () => noteForBreaker(parts, attempt, gate));
    if (failure === null) {
      if (attempt.finish?.reason === "length") {
        const { after, by } = describeAnswerLimit(attempt.usage.out, maxTokens, "maxTokens");
        call.notes.push(`The answer was cut off ${after} (${by}).`);
      }
      return { outcome: "ok", failure: null, isFinal: true };
    }
    await endFailed(parts, call, attempt, failure);
    gate = FAILED_BEFORE;
    const outcome = signal.aborted || failure.kind === "aborted" ? "aborted" : "failed";
    preferOtherProviders(trying.left, ref, failure);
    const untried = trying.left.filter(({ tries }) => tries === 0).length;
    const hasNext = trying.left.length > 0;
    const state = { triesHere, attempts: call.attempts.length, hasBegun, mayRestart, hasNext, untried };
    const policy = isTest === true ? { ...parts.healing, attempts: 1 } : parts.healing;
    const healing = afterFailure(failure, state, policy, parts.random);
    if (outcome === "aborted") return { outcome, failure, isFinal: true };
    if (healing.kind === "give-up") return { outcome, failure, isFinal: true, why: healing.why };
    if (hasBegun) trying.restart = { from: ref, failure };
    if (healing.kind === "next") {
      const { laterMs } = healing;
      if (laterMs !== null)
        trying.left.push({
          ref,
          tries: triesHere,
          waits: { until: parts.clock.now() + laterMs, number: call.attempts.length, failure },
        });
      return { outcome, failure, isFinal: false };
    }
    if (!(yield* pause(healing.waitMs, { number: call.attempts.length, failure }))) return stopped;
  }
}

/** So that an answer closes the breaker, also after a failure earlier in the same call. */
const FAILED_BEFORE: BreakerGate = { kind: "failed-before" };

type Restart = Extract<GatewayEvent, { kind: "restart" }>;

/**
 * Makes one attempt and passes on its events. One that a cap or an unknown price stops is not sent, does not count, and
 * is not announced.
 */
async function* send(
  parts: OpenParts,
  call: RunningCall,
  { ref, trying, signal }: { readonly ref: ModelRef; readonly trying: Trying; readonly signal: AbortSignal },
): AsyncGenerator<GatewayEvent, { readonly attempt: Attempt; readonly hasBegun: boolean; readonly maxTokens: number }> {
  const now = parts.clock.now();
  const prices = await parts.prices();
  const price = choosePrice(prices, ref, now, parts.config.policy.models.unknownPrice);
  const attempt = newAttempt(ref, price, now);
  const number = call.attempts.length + 1;
  const { request, failures, choice } = call;
  let hasBegun = false;
  const fitting = fitAnswer(request, prices.window(ref).output);
  const { maxTokens } = fitting.chat;
  const isReserved = await reserveAttempt(parts, fitting, { call: call.id, number, attempt });
  if (!isReserved) return { attempt, hasBegun, maxTokens };
  call.attempts.push(attempt);
  const instead = explainInstead({ ...parts, prices }, { model: ref, request, failures, choice, now });
  if (trying.restart !== null) yield { kind: "restart", ...trying.restart, to: ref };
  trying.restart = null;
  yield { kind: "attempt", number, model: ref, after: failures.slice(call.reported) };
  call.reported = failures.length;
  for await (const event of sendAttempt(parts, fitting, attempt, signal)) {
    if (!hasBegun && instead !== null) {
      if (instead.costsMoney && !call.notes.includes(instead.text)) call.notes.push(instead.text);
      yield { kind: "instead", model: ref, ...instead };
    }
    hasBegun ||= event.kind !== "finish";
    yield event;
  }
  return { attempt, hasBegun, maxTokens };
}

/** No model is asked for a longer answer than it can give. */
function fitAnswer(request: GatewayRequest, most: number | null): GatewayRequest {
  const { chat } = request;
  return most === null || most < 1 || most >= chat.maxTokens
    ? request
    : { ...request, chat: { ...chat, maxTokens: most } };
}

function passOver(call: RunningCall, skipped: FailedModel): void {
  call.failures.push(skipped);
  call.notes.push(`${formatModelRef(skipped.model)} is skipped: ${skipped.failure.message}.`);
}

function capFailure(cap: CapHit): ModelFailure {
  return { kind: "cap", status: null, retryAfterMs: null, message: explainCapHit(cap) };
}

/** Settles a failed attempt at once, so that the next one can use the rest of its reservation. */
async function endFailed(parts: OpenParts, call: RunningCall, attempt: Attempt, failure: ModelFailure): Promise<void> {
  const { db, clock } = parts;
  await ignoreStoreFailureOnceSent(call, async () => {
    if (attempt.reservation !== null) await settle(db, attempt.reservation, { cost: attempt.cost, now: clock.now() });
    attempt.reservation = null;
  });
  const { ref } = attempt;
  let isLeftOut = false;
  if (failure.kind === "no-such-model")
    await ignoreStoreFailureOnceSent(call, async () => void (isLeftOut = await noteRetired(parts, ref, failure)));
  call.failures.push({ model: ref, failure, ...(isLeftOut ? { isLeftOut } : {}) });
  call.notes.push(`${formatModelRef(ref)} failed (${failure.kind}): ${failure.message.replace(/\.$/, "")}.`);
  if (isLeftOut) call.notes.push(`${explainNowLeftOut(formatModelRef(ref))}.`);
}

/** Bookkeeping about a request that was sent: if the store fails, the call goes on. */
async function ignoreStoreFailureOnceSent(call: RunningCall, work: () => Promise<void>): Promise<void> {
  if (wasSent(call)) await findStoreFailure(work);
  else await work();
}

/** After a failure of the whole provider, models of other providers go first; those that had an attempt stay last. */
function preferOtherProviders(left: Target[], { provider }: ModelRef, { kind }: ModelFailure): void {
  const rank = ({ ref, tries }: Target) => (tries > 0 ? 2 : Number(ref.provider === provider));
  if (isOfProvider(kind)) left.sort((a, b) => rank(a) - rank(b));
}

/** False if the caller aborted during the wait. */
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
