import type { CallOutcome, ModelAttempt, ModelCallRow, StoredPrice } from "../../domain/model/call-row.ts";
import type { CapHit } from "../../domain/model/caps.ts";
import { costOf, worstCost } from "../../domain/model/cost.ts";
import type { ModelFailureKind } from "../../domain/model/failure.ts";
import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { Policy } from "../../domain/policy.ts";
import { noUsage } from "../../domain/model/usage.ts";
import { type Clock, MINUTE, SECOND } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { storeCall } from "../../store/models/calls.ts";
import { extendReservation, release, type Reservation, reserve, settle } from "../../store/models/reservations.ts";
import { choosePrice } from "../prices/choose-price.ts";
import type { PriceTable } from "../prices/prices.ts";
import type { Caller } from "./caller.ts";
import { completeUsage } from "./complete-usage.ts";
import type { AnswerState } from "./read-answer.ts";
import type { AskedCall } from "./read-request.ts";

const LEASE_MS = 2 * MINUTE;
const BEAT_MS = 30 * SECOND;
/** Used if the price table does not know the limits of a model. */
const LONGEST_ANSWER = 128_000;
const LONGEST_PROMPT = 1_000_000;

export interface Metering {
  readonly db: Db;
  readonly clock: Clock;
  readonly prices: PriceTable;
  readonly unknownPrice: Policy["models"]["unknownPrice"];
}

export interface MeteredCall {
  readonly id: string;
  readonly at: number;
  readonly caller: Caller;
  readonly ref: ModelRef;
  readonly asked: AskedCall;
  /** True if a subscription pays. */
  readonly listPrice: boolean;
}

/** How a call ended. */
export interface CallEnd {
  readonly outcome: Exclude<CallOutcome, "cached" | "capped">;
  readonly failure: ModelFailureKind | null;
  /** Null if the provider charges nothing. */
  readonly answer: AnswerState | null;
  /** When the last attempt began. */
  readonly attemptAt: number;
  readonly firstTokenMs: number | null;
  readonly failed: readonly FailedAttempt[];
}

export interface FailedAttempt {
  readonly at: number;
  readonly ms: number;
  readonly failure: ModelFailureKind;
}

/** Holds the reservation of one call until it has ended. */
export interface Meter {
  /** The id of the row. */
  readonly call: string;
  /** Settles the call and stores its row. Only the first invocation has an effect. */
  finish(end: CallEnd): Promise<void>;
}

export type OpenedMeter =
  | { readonly kind: "open"; readonly meter: Meter }
  | { readonly kind: "capped"; readonly hit: CapHit; readonly priceKnown: boolean }
  /** The price is unknown, and models.unknownPrice is `refuse`. */
  | { readonly kind: "unknown-price" };

/** Reserves the worst case of the call. A call that does not fit under a cap is stored as `capped`. */
export async function openMeter(of: Metering, call: MeteredCall): Promise<OpenedMeter> {
  const chosen = choosePrice(of.prices, call.ref, call.at, of.unknownPrice);
  if (chosen === null) return { kind: "unknown-price" };
  const { price, isKnown: priceKnown } = chosen;
  const reserved = await reserve(of.db, {
    call: call.id,
    attempt: 0,
    spender: call.caller,
    amount: worstCost(price, boundCall(call, of.prices)),
    leaseMs: LEASE_MS,
    now: of.clock.now(),
    listPrice: call.listPrice,
  });
  if (reserved.kind === "capped") {
    await storeCall(of.db, cappedRow(call, priceKnown));
    return { ...reserved, priceKnown };
  }
  const { reservation } = reserved;
  const beat = setInterval(() => {
    // The next beat tries again; a lease lasts four beats.
    extendReservation(of.db, reservation, LEASE_MS, of.clock.now()).catch(() => {});
  }, BEAT_MS);
  beat.unref();
  let finishing: Promise<void> | null = null;
  const finish = async (end: CallEnd) => {
    clearInterval(beat);
    await endCall(of, call, { reservation, price, priceKnown }, end);
  };
  return { kind: "open", meter: { call: call.id, finish: (end) => (finishing ??= finish(end)) } };
}

/** A call that was not sent because its provider fails: a row without attempts. */
export function storeHeldBack(
  { db, clock }: Pick<Metering, "db" | "clock">,
  call: MeteredCall,
  { failure, why }: { readonly failure: ModelFailureKind; readonly why: string },
): Promise<void> {
  const ms = clock.now() - call.at;
  return storeCall(db, { ...rowOf(call, true), outcome: "failed", failure, ms, route: [CHOSEN, why] });
}

async function endCall(
  { db, clock }: Metering,
  call: MeteredCall,
  paid: { readonly reservation: Reservation; readonly price: StoredPrice; readonly priceKnown: boolean },
  end: CallEnd,
): Promise<void> {
  const now = clock.now();
  const { usage, isEstimated } =
    end.answer === null ? { usage: noUsage, isEstimated: false } : completeUsage(end.answer, call.asked);
  const cost = end.answer === null ? 0 : costOf(paid.price, usage);
  await (end.answer === null ? release(db, paid.reservation, now) : settle(db, paid.reservation, { cost, now }));
  const price = paid.priceKnown ? paid.price : null;
  const attempt = (one: FailedAttempt): ModelAttempt => ({ ...call.ref, ...one, usage: noUsage, cost: 0, price });
  await storeCall(db, {
    ...rowOf(call, paid.priceKnown),
    outcome: end.outcome,
    failure: end.failure,
    ms: now - call.at,
    firstTokenMs: end.firstTokenMs,
    usage,
    cost,
    healed: end.outcome === "ok" && end.failed.length > 0,
    route: [CHOSEN, ...(isEstimated ? [ESTIMATED] : [])],
    attempts: [
      ...end.failed.map(attempt),
      { ...call.ref, at: end.attemptAt, ms: now - end.attemptAt, failure: end.failure, usage, cost, price },
    ],
  });
}

const CHOSEN = "the client chose the model";
const ESTIMATED = "the provider did not report all tokens: they are estimated";

function cappedRow(call: MeteredCall, priceKnown: boolean): ModelCallRow {
  return { ...rowOf(call, priceKnown), outcome: "capped", failure: "cap" };
}

function rowOf({ id, at, caller, ref, listPrice }: MeteredCall, priceKnown: boolean): ModelCallRow {
  return {
    id,
    at,
    way: "pass-through",
    ...caller,
    taskType: "pass-through",
    complexity: "moderate",
    ...ref,
    outcome: "ok",
    failure: null,
    ms: 0,
    firstTokenMs: null,
    usage: noUsage,
    cost: 0,
    priceKnown,
    listPrice,
    healed: false,
    explored: false,
    route: [CHOSEN],
    attempts: [],
  };
}

function boundCall({ ref, asked }: MeteredCall, prices: PriceTable): Parameters<typeof worstCost>[1] {
  const { context, output } = prices.window(ref);
  return {
    inputTokens: asked.isOpenEnded ? Math.max(asked.boundTokens, context ?? LONGEST_PROMPT) : asked.boundTokens,
    maxTokens: (asked.maxTokens ?? output ?? LONGEST_ANSWER) * asked.choices,
    cacheWrites: asked.cacheWrites,
  };
}
