import { setTimeout as wait } from "node:timers/promises";
import { isOfProvider } from "../../domain/model/breaker.ts";
import type { CallOutcome } from "../../domain/model/call-row.ts";
import { type CapHit, explainCapHit } from "../../domain/model/caps.ts";
import { complexityOf } from "../../domain/model/complexity.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
import { afterFailure } from "../../domain/model/retry.ts";
import { addUsage, noUsage } from "../../domain/model/usage.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { settle } from "../../store/models/reservations.ts";
import { choosePrice } from "../prices/choose-price.ts";
import { type BreakerGate, checkBreaker, lookForBack, noteForBreaker, returnTrial } from "./breaker-gate.ts";
import { chooseModels, type ModelChoice } from "./choose-models.ts";
import { explainInstead } from "./explain-instead.ts";
import { finishCall } from "./finish-call.ts";
import type { OpenParts } from "./gateway-parts.ts";
import { findRemedies } from "./find-remedies.ts";
import type { FailedModel, GatewayAnswer, GatewayEvent, GatewayRequest } from "./gateway.ts";
import { bringBackMoved, noteRetired } from "./note-retired.ts";
import { type Attempt, newAttempt, redactKnown, sendAttempt } from "./send-attempt.ts";
import { findStoreFailure } from "./unstored-calls.ts";
import { noModelError } from "./usable-models.ts";
import { findCached, keepResponse } from "./use-response-cache.ts";

/** A call under way. */
export interface RunningCall {
  readonly id: string;
  readonly at: number;
  readonly request: GatewayRequest;
  readonly complexity: Complexity;
  readonly choice: ModelChoice;
  readonly attempts: Attempt[];
  /** Sentences about what happened after the choice. */
  readonly notes: string[];
  readonly failures: FailedModel[];
  /** If the answer is from the response cache: the call that wrote it. */
  readonly repeats?: string | undefined;
  /** The cap that stopped the call, if any. */
  cap: CapHit | null;
  /** How many of the failures the events have named. */
  reported: number;
}

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
      cap: null,
      reported: 0,
    };
    const answer = { ...describe(parts, call, "cached", null), text, storedText: text, message };
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
  const nothing = { attempts: [], notes: [], failures: [], cap: null, reported: 0 };
  const call: RunningCall = { id, at, request, complexity, choice, ...nothing };
  let isStored = false;
  const end = async (outcome: CallOutcome, failure: ModelFailure | null): Promise<GatewayAnswer> => {
    isStored = true;
    const answer = describe(parts, call, outcome, failure);
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
    if (!(error instanceof OldhandError) || isStored || !wasSent(call)) throw error;
    // The store failed between two attempts, so no other one can be reserved.
    yield { kind: "end", answer: await end("failed", call.failures.at(-1)?.failure ?? abortedFailure) };
  } finally {
    // The consumer may have stopped after it had the whole answer.
    const isAnswered = call.attempts.at(-1)?.finish != null;
    if (!isStored) await (isAnswered ? end("ok", null) : end("aborted", abortedFailure));
  }
}

function wasSent({ attempts }: RunningCall): boolean {
  return attempts.some(({ isSent }) => isSent);
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

/**
 * Tries the chosen model, then the others in order, until one answers or no further attempt can help. A model that does not fit
 * under a cap is skipped: a cheaper or a free one may follow.
 */
async function* tryTargets(parts: OpenParts, call: RunningCall): AsyncGenerator<GatewayEvent, CallEnd> {
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
      await keepOn(call, () => returnTrial(parts, ref, gate));
    }
  }
  return nameCap(call, last);
}

/** If a cap stopped the chosen model, the command that extends it helps more than the failure of the model that came instead. */
function nameCap({ cap, attempts }: RunningCall, end: CallEnd): CallEnd {
  const hasBegun = (attempts.at(-1)?.characters ?? 0) > 0;
  return cap === null || hasBegun || end.outcome !== "failed" ? end : { outcome: "capped", failure: capFailure(cap) };
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
  of: { readonly target: Target; readonly gate: BreakerGate; readonly trying: Trying; readonly signal: AbortSignal },
): AsyncGenerator<GatewayEvent, TargetEnd> {
  const { target, trying, signal } = of;
  const { ref, waits } = target;
  let { gate } = of;
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
    if (trying.restart !== null) yield { kind: "restart", ...trying.restart, to: ref };
    trying.restart = null;
    const { attempt, hasBegun } = yield* send(parts, call, ref, signal);
    if (attempt.cap !== null) {
      const failure = capFailure(attempt.cap);
      call.cap ??= attempt.cap;
      passOver(call, { model: ref, failure });
      return { outcome: "capped", failure: capFailure(call.cap), isFinal: false };
    }
    await keepOn(call, () => noteForBreaker(parts, attempt, gate));
    const { failure } = attempt;
    if (failure === null) {
      if (attempt.finish?.reason === "length")
        call.notes.push(`The answer was cut off at maxTokens, ${call.request.chat.maxTokens} tokens.`);
      return { outcome: "ok", failure: null, isFinal: true };
    }
    await endFailed(parts, call, attempt, failure);
    gate = FAILED_BEFORE;
    const outcome = signal.aborted || failure.kind === "aborted" ? "aborted" : "failed";
    sortAway(trying.left, ref, failure);
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

/** Makes one attempt and passes on its events. An attempt that a cap stopped was not sent, so it does not count. */
async function* send(
  parts: OpenParts,
  call: RunningCall,
  ref: ModelRef,
  signal: AbortSignal,
): AsyncGenerator<GatewayEvent, { readonly attempt: Attempt; readonly hasBegun: boolean }> {
  const now = parts.clock.now();
  const prices = await parts.prices();
  const price = choosePrice(prices, ref, now, parts.config.policy.models.unknownPrice);
  const attempt = newAttempt(ref, price, now);
  const number = call.attempts.push(attempt);
  let hasBegun = false;
  const { request, failures, choice } = call;
  const instead = explainInstead({ ...parts, prices }, { model: ref, request, failures, choice, now });
  yield { kind: "attempt", number, model: ref, after: failures.slice(call.reported) };
  call.reported = failures.length;
  for await (const event of sendAttempt(parts, call.request, { call: call.id, number, attempt }, signal)) {
    if (!hasBegun && instead !== null) yield { kind: "instead", model: ref, text: instead };
    hasBegun ||= event.kind !== "finish";
    yield event;
  }
  if (attempt.cap !== null) call.attempts.pop();
  return { attempt, hasBegun };
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
  await keepOn(call, async () => {
    if (attempt.reservation !== null) await settle(db, attempt.reservation, { cost: attempt.cost, now: clock.now() });
    attempt.reservation = null;
  });
  call.failures.push({ model: attempt.ref, failure });
  call.notes.push(`${formatModelRef(attempt.ref)} failed (${failure.kind}): ${failure.message.replace(/\.$/, "")}.`);
  if (failure.kind === "no-such-model") await keepOn(call, () => noteRetired(parts, attempt.ref, failure));
}

/** Bookkeeping about a request that was sent: if the store fails, the call goes on. */
async function keepOn(call: RunningCall, work: () => Promise<void>): Promise<void> {
  if (wasSent(call)) await findStoreFailure(work);
  else await work();
}

/** After a failure of the whole provider, models of other providers go first; those that had an attempt stay last. */
function sortAway(left: Target[], { provider }: ModelRef, { kind }: ModelFailure): void {
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

/** The last failure of each model. */
function lastOfEach(failures: RunningCall["failures"]): RunningCall["failures"] {
  return [...new Map(failures.map((one) => [formatModelRef(one.model), one])).values()];
}

function describe(
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
    cap: outcome === "capped" ? call.cap : null,
  };
}
