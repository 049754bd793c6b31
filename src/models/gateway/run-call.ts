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
import { newId } from "../../lib/ids.ts";
import { settle } from "../../store/models/reservations.ts";
import { choosePrice } from "../prices/choose-price.ts";
import { type BreakerGate, checkBreaker, noteForBreaker } from "./breaker-gate.ts";
import { chooseModels, type ModelChoice } from "./choose-models.ts";
import { finishCall } from "./finish-call.ts";
import type { OpenParts } from "./gateway-parts.ts";
import type { GatewayAnswer, GatewayEvent, GatewayRequest } from "./gateway.ts";
import { noteRetired } from "./note-retired.ts";
import { type Attempt, newAttempt, sendAttempt } from "./send-attempt.ts";
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
  /** The cap that stopped the call, if any. */
  cap: CapHit | null;
}

/**
 * Runs one call: chooses a model, reserves, sends, heals, settles, and stores one row. The row is stored even if the consumer of
 * the events stops early.
 */
export async function* runCall(parts: OpenParts, request: GatewayRequest): AsyncGenerator<GatewayEvent> {
  const at = parts.clock.now();
  const complexity = request.complexity ?? complexityOf(request.taskType);
  const id = newId("mc", at);
  const cached = await findCached(parts, request, complexity, at);
  if (cached !== null) {
    const { message, text, model } = cached;
    const choice = { targets: [model], attempt: "first", explored: false, best: null, route: null } as const;
    const why = [`The answer is from the response cache; ${formatModelRef(model)} wrote it.`];
    const call = {
      id,
      at,
      request,
      complexity,
      choice: { ...choice, why },
      attempts: [],
      notes: [],
      failures: [],
      cap: null,
    };
    const answer = { ...describe(parts, call, "cached", null), text, message };
    await finishCall(parts, call, answer);
    if (text !== "") yield { kind: "text", text };
    yield { kind: "finish", reason: "stop", usage: noUsage, message, model: model.model };
    yield { kind: "end", answer };
    return;
  }
  const prices = await parts.prices();
  const choice = await chooseModels({ ...parts, prices }, request, at);
  if (choice.targets.length === 0 && choice.route === null) throw noModelError(choice.why);
  const call: RunningCall = { id, at, request, complexity, choice, attempts: [], notes: [], failures: [], cap: null };
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
    // The consumer may have stopped after it had the whole answer.
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

/** Tries the chosen model, then the others in order, until one answers or no further attempt can help. */
async function* tryTargets(parts: OpenParts, call: RunningCall): AsyncGenerator<GatewayEvent, CallEnd> {
  const { request } = call;
  const signal = request.signal ?? new AbortController().signal;
  const left = [...call.choice.targets];
  let last: CallEnd = { outcome: "failed", failure: noTarget(call) };
  let restart: Pick<Restart, "from" | "failure"> | null = null;
  for (let ref = left.shift(); ref !== undefined; ref = left.shift()) {
    let gate = request.isTest === true ? FAILED_BEFORE : await checkBreaker(parts, ref);
    if (gate.kind === "open") {
      passOver(call, ref, gate.failure);
      if (call.attempts.length === 0) last = { outcome: "failed", failure: gate.failure };
      continue;
    }
    // Retries the same model as long as that may help.
    for (let triesHere = 1; ; triesHere++) {
      if (restart !== null) yield { kind: "restart", ...restart, to: ref };
      restart = null;
      const sent = yield* send(parts, call, ref, signal);
      const { attempt, hasBegun } = sent;
      if (attempt.cap !== null) {
        const failure = capFailure(attempt.cap);
        call.cap = attempt.cap;
        last = { outcome: "capped", failure };
        passOver(call, ref, failure);
        break;
      }
      await noteForBreaker(parts, attempt, gate);
      const { failure } = attempt;
      if (failure === null) return { outcome: "ok", failure: null };
      await endFailed(parts, call, attempt, failure);
      gate = FAILED_BEFORE;
      last = { outcome: signal.aborted || failure.kind === "aborted" ? "aborted" : "failed", failure };
      sortAway(left, ref, failure);
      const { mayRestart = false } = request;
      const state = { triesHere, attempts: call.attempts.length, hasBegun, mayRestart, hasNext: left.length > 0 };
      const policy = request.isTest === true ? { ...parts.healing, attempts: 1 } : parts.healing;
      const healing = afterFailure(failure, state, policy, parts.random);
      if (last.outcome === "aborted" || healing.kind === "give-up") return last;
      if (hasBegun) restart = { from: ref, failure };
      if (healing.kind === "next") break;
      if (!(await waitFor(healing.waitMs, signal))) return { outcome: "aborted", failure: abortedFailure };
    }
    // If a cap stops the chosen model, the call ends: the caller would not expect another model.
    if (last.outcome === "capped" && call.attempts.length === 0) return last;
  }
  return last;
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
  if (attempt.reservation !== null) await settle(db, attempt.reservation, { cost: attempt.cost, now: clock.now() });
  attempt.reservation = null;
  call.failures.push({ model: attempt.ref, failure });
  call.notes.push(`${formatModelRef(attempt.ref)} failed (${failure.kind}): ${failure.message}.`);
  if (failure.kind === "no-such-model") await noteRetired(parts, attempt.ref, failure);
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
    message: last?.finish?.message ?? null,
    model: ref,
    usage: attempts.reduce((sum, one) => addUsage(sum, one.usage), noUsage),
    cost: attempts.reduce((sum, one) => sum + one.cost, 0),
    isCut: last?.finish?.reason === "length",
    cached: outcome === "cached",
    healed: outcome === "ok" && attempts.length > 1,
    route: [...choice.why, ...call.notes],
    ms: clock.now() - call.at,
    cap: outcome === "capped" ? call.cap : null,
  };
}
