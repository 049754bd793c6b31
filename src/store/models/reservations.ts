import {
  type CapHit,
  type Spender,
  budgetKeys,
  checkCap,
  defaultDayCap,
  spendingDay,
} from "../../domain/model/caps.ts";
import { toDollars, toNanos, toNanosUp } from "../../domain/model/money.ts";
import { newId } from "../../lib/ids.ts";
import { listGoneProcesses, ownProcessRef } from "../../lib/process-ref.ts";
import type { Db } from "../engine/db.ts";
import { type HeldAmount, type HeldUntil, budgetOf, changeBudgets, splitEnded } from "./budgets.ts";
import { readMoneyView } from "./money-view.ts";

/** The most that one attempt of a call can cost, set aside until it is settled or released, or until its lease or its process ends. */
export interface Reservation {
  readonly id: string;
  readonly call: string;
  readonly attempt: number;
  readonly spender: Spender;
  /** In dollars. */
  readonly amount: number;
  /** The day whose caps it counts against. */
  readonly day: string;
  readonly until: number;
  readonly listPrice: boolean;
}

export type ReserveResult =
  | { readonly kind: "reserved"; readonly reservation: Reservation }
  | { readonly kind: "capped"; readonly hit: CapHit };

/**
 * Before every attempt, also of a fallback: the amount counts against every cap that applies, or the call is not made.
 * What costs nothing is not stored and never stopped.
 */
export function reserve(
  db: Db,
  r: {
    readonly call: string;
    readonly attempt: number;
    readonly spender: Spender;
    /** In dollars: `worstCost`. */
    readonly amount: number;
    readonly leaseMs: number;
    readonly now: number;
    /** A subscription pays: the amount is the list price. */
    readonly listPrice?: boolean | undefined;
  },
): Promise<ReserveResult> {
  const { call, attempt, spender, now, listPrice = false } = r;
  const amount = toNanosUp(r.amount);
  const reservation: Reservation = {
    id: newId("res", now),
    call,
    attempt,
    spender,
    amount: toDollars(amount),
    day: spendingDay(now),
    until: now + r.leaseMs,
    listPrice,
  };
  if (amount <= 0) return Promise.resolve({ kind: "reserved", reservation });
  return withMoneyLock(db, async (tx) => {
    const hit = await findHit(tx, reservation, amount, now);
    if (hit !== null) return { kind: "capped", hit };
    await insertReservation(tx, reservation, { amount, now });
    return { kind: "reserved", reservation };
  });
}

/**
 * The call has ended and this is what it cost, in dollars: all of it counts, also what is above the reservation. A holder
 * that comes after its lease had ended is late, not wrong: its cost counts, and is no longer among what may be lost.
 */
export function settle(
  db: Db,
  reservation: Reservation,
  s: { readonly cost: number; readonly now: number },
): Promise<void> {
  return endReservation(db, reservation, toNanos(s.cost));
}

/** Nothing was spent: the request was not sent, or the provider refused it and charges nothing. */
export function release(db: Db, reservation: Reservation, _now: number): Promise<void> {
  return endReservation(db, reservation, 0);
}

/** False if its lease has ended meanwhile: it no longer holds anything. */
export async function extendReservation(
  db: Db,
  reservation: Reservation,
  leaseMs: number,
  now: number,
): Promise<boolean> {
  if (toNanosUp(reservation.amount) <= 0) return true;
  const changed = await db.run(
    "update model_reservations set until = ? where id = ? and state = 'held' and until > ?",
    [now + leaseMs, reservation.id, now],
  );
  return changed === 1;
}

/** Those whose lease or process has ended hold nothing any more; their amounts may have been spent, and are counted as lost. How many. */
export function expireReservations(db: Db, now: number): Promise<number> {
  return withMoneyLock(db, async (tx) => {
    const holders = await tx.all<{ holder: string | null }>(
      "select distinct holder from model_reservations where state = 'held'",
    );
    return expireUnderLock(tx, now, listGoneProcesses(holders.map(({ holder }) => holder)));
  });
}

/** The reservations of one call that were not settled. */
export async function listHeldOf(
  db: Db,
  call: string,
): Promise<readonly { readonly attempt: number; readonly amount: number; readonly until: number }[]> {
  const rows = await db.all<{ attempt: number; amount_nanos: number; until: number }>(
    "select attempt, amount_nanos, until from model_reservations where call = ? order by attempt",
    [call],
  );
  return rows.map(({ attempt, amount_nanos, until }) => ({ attempt, amount: toDollars(amount_nanos), until }));
}

/** A call without a row: it is under way, or ended without a result. */
export interface UnfinishedCall {
  readonly id: string;
  readonly at: number;
  readonly agent: string;
  readonly job: string | null;
  readonly goal: string | null;
  readonly listPrice: boolean;
  /** Dollars that are reserved, or may have been spent. */
  readonly amount: number;
  /** When its lease ends. */
  readonly until: number;
  /** Its process or its lease has ended. */
  readonly ended: boolean;
}

/** Newest first. `call`: only this one. */
export async function listUnfinished(
  db: Db,
  now: number,
  { limit, call }: { readonly limit: number; readonly call?: string | undefined },
): Promise<readonly UnfinishedCall[]> {
  const rows = await db.all<HeldUntil & UnfinishedRecord>(
    `select call, at, agent, job, goal, list_price, amount_nanos, until, holder, state from model_reservations
     where call not in (select id from model_calls)${call === undefined ? "" : " and call = ?"}
     order by at desc, call, attempt`,
    call === undefined ? [] : [call],
  );
  const ended = new Set([...splitEnded(rows, now).ended, ...rows.filter(({ state }) => state === "lost")]);
  return [...new Set(rows.map((one) => one.call))].slice(0, limit).map((id) => {
    const own = rows.filter((one) => one.call === id);
    return {
      id,
      at: Math.min(...own.map(({ at }) => at)),
      agent: own[0]?.agent ?? "",
      job: own[0]?.job ?? null,
      goal: own[0]?.goal ?? null,
      listPrice: own[0]?.list_price === 1,
      amount: toDollars(own.reduce((sum, one) => sum + one.amount_nanos, 0)),
      until: Math.max(...own.map(({ until }) => until)),
      ended: own.every((one) => ended.has(one)),
    };
  });
}

interface UnfinishedRecord {
  readonly call: string;
  readonly at: number;
  readonly agent: string;
  readonly job: string | null;
  readonly goal: string | null;
  readonly list_price: number;
  readonly amount_nanos: number;
  readonly state: string;
}

async function findHit(tx: Db, reservation: Reservation, amount: number, now: number): Promise<CapHit | null> {
  const { spender, day, listPrice } = reservation;
  const keys = budgetKeys(spender, day);
  let view = await readMoneyView(tx, keys);
  if (splitEnded(view.held, now).ended.length > 0) {
    await expireUnderLock(tx, now, listGoneProcesses(view.held.map(({ holder }) => holder)));
    view = await readMoneyView(tx, keys);
  }
  const caps = view.caps.some(({ kind }) => kind === "day") ? view.caps : [...view.caps, defaultDayCap];
  for (const key of keys) {
    const cap = caps.find(({ kind, name }) => kind === key.kind && name === key.name);
    if (cap === undefined || (listPrice && cap.counts === "paid")) continue;
    const hit = checkCap(cap, budgetOf(key, cap.counts, view.budgets, view.held), amount, day);
    if (hit !== null) return hit;
  }
  return null;
}

async function insertReservation(
  tx: Db,
  { id, call, attempt, spender, day, listPrice, until }: Reservation,
  { amount, now }: { readonly amount: number; readonly now: number },
): Promise<void> {
  await tx.run(
    `insert into model_reservations (id, call, attempt, agent, job, goal, day, list_price, amount_nanos, state, at, until, holder)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'held', ?, ?, ?)`,
    [
      ...[id, call, attempt, spender.agent, spender.job, spender.goal, day],
      ...[listPrice ? 1 : 0, amount, now, until, ownProcessRef()],
    ],
  );
}

function endReservation(db: Db, reservation: Reservation, cost: number): Promise<void> {
  const { id, spender, day, listPrice } = reservation;
  const keys = budgetKeys(spender, day);
  const isFree = toNanosUp(reservation.amount) <= 0;
  if (isFree && cost === 0) return Promise.resolve();
  return withMoneyLock(db, async (tx) => {
    const row = await tx.get<{ state: string; amount_nanos: number }>(
      "delete from model_reservations where id = ? returning state, amount_nanos",
      [id],
    );
    // Without a row it was ended before: what is settled twice counts once.
    if (row === undefined && !isFree) return;
    const found = row?.state === "lost" ? row.amount_nanos : 0;
    await changeBudgets(tx, { keys, listPrice, spent: cost, lost: -found });
  });
}

/** So long after its lease a holder may still settle; what it says later is not heard. */
const LATE_MS = 7 * 86_400_000;

async function expireUnderLock(tx: Db, now: number, gone: readonly string[]): Promise<number> {
  const isGone = gone.length === 0 ? "" : ` or holder in (${gone.map(() => "?").join(", ")})`;
  const ended = await tx.all<HeldAmount & { id: string }>(
    `update model_reservations set state = 'lost' where state = 'held' and (until <= ?${isGone})
     returning id, agent, job, goal, day, list_price, amount_nanos`,
    [now, ...gone],
  );
  for (const { agent, job, goal, day, list_price, amount_nanos } of ended) {
    const keys = budgetKeys({ agent, job, goal }, day);
    await changeBudgets(tx, { keys, listPrice: list_price === 1, spent: 0, lost: amount_nanos });
  }
  if (ended.length > 0)
    await tx.run("delete from model_reservations where state = 'lost' and until <= ?", [now - LATE_MS]);
  return ended.length;
}

function withMoneyLock<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.tx(async (tx) => {
    if (tx.dialect.lockMoney !== null) await tx.run(tx.dialect.lockMoney);
    return work(tx);
  });
}
