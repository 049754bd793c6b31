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
import { type BreakerGate, checkBreaker, noteForBreaker, returnTrial } from "./breaker-gate.ts";
import { chooseModels, type ModelChoice } from "./choose-models.ts";
import { finishCall } from "./finish-call.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayAnswer, GatewayEvent, GatewayRequest } from "./gateway.ts";
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
  readonly failures: { readonly model: ModelRef; readonly failure: ModelFailure }[];
  /** If the answer is from the response cache: the call that wrote it. */
  readonly repeats?: string | undefined;
  /** The cap that stopped the call, if any. */
  cap: CapHit | null;
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
  const choice = await chooseModels({ ...parts, prices }, request, at);
  if (choice.targets.length === 0 && choice.route === null) throw noModelError(choice.why);
  const nothing = { attempts: [], notes: [], failures: [], cap: null };
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
  const trying: Trying = { left: [...call.choice.targets], restart: null };
  let last: CallEnd = { outcome: "failed", failure: noTarget(call) };
  for (let ref = trying.left.shift(); ref !== undefined; ref = trying.left.shift()) {
    const gate = call.request.isTest === true ? FAILED_BEFORE : await checkBreaker(parts, ref);
    if (gate.kind === "open") {
      passOver(call, ref, gate.failure);
      if (call.attempts.length === 0) last = { outcome: "failed", failure: gate.failure };
      continue;
    }
    try {
      const end = yield* tryTarget(parts, call, { ref, gate, trying, signal });
      last = end;
      if (end.isFinal) return nameCap(call, end);
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

interface Trying {
  readonly left: ModelRef[];
  /** The attempt that broke off after the caller had a part of its answer. */
  restart: Pick<Restart, "from" | "failure"> | null;
}

/** Tries one model, again as long as that may help. */
async function* tryTarget(
  parts: OpenParts,
  call: RunningCall,
  of: { readonly ref: ModelRef; readonly gate: BreakerGate; readonly trying: Trying; readonly signal: AbortSignal },
): AsyncGenerator<GatewayEvent, CallEnd & { readonly isFinal: boolean }> {
  const { ref, trying, signal } = of;
  let { gate } = of;
  const { isTest, mayRestart = false } = call.request;
  for (let triesHere = 1; ; triesHere++) {
    if (trying.restart !== null) yield { kind: "restart", ...trying.restart, to: ref };
    trying.restart = null;
    const { attempt, hasBegun } = yield* send(parts, call, ref, signal);
    if (attempt.cap !== null) {
      const failure = capFailure(attempt.cap);
      call.cap ??= attempt.cap;
      passOver(call, ref, failure);
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
    const hasNext = trying.left.length > 0;
    const state = { triesHere, attempts: call.attempts.length, hasBegun, mayRestart, hasNext };
    const policy = isTest === true ? { ...parts.healing, attempts: 1 } : parts.healing;
    const healing = afterFailure(failure, state, policy, parts.random);
    if (outcome === "aborted" || healing.kind === "give-up") return { outcome, failure, isFinal: true };
    if (hasBegun) trying.restart = { from: ref, failure };
    if (healing.kind === "next") return { outcome, failure, isFinal: false };
    if (!(await waitFor(healing.waitMs, signal))) return { outcome: "aborted", failure: abortedFailure, isFinal: true };
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
  const price = choosePrice(await parts.prices(), ref, now, parts.config.policy.models.unknownPrice);
  const attempt = newAttempt(ref, price, now);
  const number = call.attempts.push(attempt);
  let hasBegun = false;
  for await (const event of sendAttempt(parts, call.request, { call: call.id, number, attempt }, signal)) {
    hasBegun ||= event.kind !== "finish";
    yield event;
  }
  if (attempt.cap !== null) call.attempts.pop();
  return { attempt, hasBegun };
}

function passOver(call: RunningCall, ref: ModelRef, failure: ModelFailure): void {
  call.failures.push({ model: ref, failure });
  call.notes.push(`${formatModelRef(ref)} is skipped: ${failure.message}.`);
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
  call.notes.push(`${formatModelRef(attempt.ref)} failed (${failure.kind}): ${failure.message}.`);
  if (failure.kind === "no-such-model") await keepOn(call, () => noteRetired(parts, attempt.ref, failure));
}

/** Bookkeeping about a request that was sent: if the store fails, the call goes on. */
async function keepOn(call: RunningCall, work: () => Promise<void>): Promise<void> {
  if (wasSent(call)) await findStoreFailure(work);
  else await work();
}

/** After a failure of the whole provider, models of other providers go first. */
function sortAway(left: ModelRef[], { provider }: ModelRef, { kind }: ModelFailure): void {
  if (isOfProvider(kind)) left.sort((a, b) => Number(a.provider === provider) - Number(b.provider === provider));
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
    failures: lastOfEach(call.failures),
    text: last?.text ?? "",
    storedText: last === undefined ? "" : redactKnown(last, last.sentText),
    message: last?.finish?.message ?? null,
    model: ref,
    usage: attempts.reduce((sum, one) => addUsage(sum, one.usage), noUsage),
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
