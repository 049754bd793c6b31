import fc from "fast-check";
import { expect } from "vitest";
import type { Db } from "../../../src/store/engine/db.ts";
import { budgetKeys, type Spender, spendingDay } from "../../../src/domain/model/caps.ts";
import { findBudgetRows } from "../../../src/store/models/budgets.ts";
import {
  type Reservation,
  expireReservations,
  extendReservation,
  release,
  settle,
} from "../../../src/store/models/reservations.ts";
import { LEASE_MS, noon, setCap, tryReserve } from "./lab.ts";

const LIMIT = 100;
const JOB_LIMIT = 60;

/** One call: how it ends, and at which of its steps its process dies. Amounts are cents; a cost is at most the amount. */
const aCall = fc.record({
  amount: fc.integer({ min: 15, max: LIMIT }),
  cost: fc.double({ min: 0, max: 1, noNaN: true }),
  end: fc.constantFrom("settle" as const, "release" as const, "settle twice" as const),
  dies: fc.constantFrom("never" as const, "after sending" as const, "before settling" as const),
  extends: fc.boolean(),
  job: fc.boolean(),
});

/** The call whose step is next. A step of no call lets time pass, so that leases end. */
const turns = fc.array(fc.integer({ min: -2, max: 6 }), { minLength: 5, maxLength: 40, size: "max" });

interface Books {
  /** In cents. */
  spent: number;
  /** What dead processes may have spent. */
  lost: number;
}

/** Runs random interleavings of calls, half of them with strict caps. */
export async function playInterleavings(db: Db, numRuns: number): Promise<void> {
  let runs = 0;
  for (const isStrict of [false, true]) {
    await setCap(db, "day", LIMIT / 100, { isStrict });
    await fc.assert(
      fc.asyncProperty(fc.array(aCall, { minLength: 1, maxLength: 7, size: "max" }), turns, async (calls, order) => {
        const job = `job ${runs}`;
        await setCap(db, `job ${job}`, JOB_LIMIT / 100, { isStrict });
        // Each run has a day and a job of its own.
        await playCalls(db, { calls, order, job, isStrict, start: noon + runs++ * 86_400_000 });
      }),
      { numRuns: numRuns / 2 },
    );
  }
}

interface Play {
  readonly calls: readonly (typeof aCall extends fc.Arbitrary<infer T> ? T : never)[];
  readonly order: readonly number[];
  readonly job: string;
  readonly isStrict: boolean;
  readonly start: number;
}

async function playCalls(db: Db, { calls, order, job, isStrict, start }: Play): Promise<void> {
  let now = start;
  const steps = calls.map(() => ({ step: 0, reservation: null as Reservation | null }));
  const books: Record<"day" | "job", Books> = { day: { spent: 0, lost: 0 }, job: { spent: 0, lost: 0 } };
  const spenderOf = (call: Play["calls"][number]): Spender => ({
    agent: "ada",
    job: call.job ? job : null,
    goal: null,
  });
  const booksOf = (call: Play["calls"][number]) => (call.job ? [books.day, books.job] : [books.day]);
  for (const turn of order) {
    if (turn < 0) {
      now += turn === -1 ? LEASE_MS / 3 : LEASE_MS;
      if (turn === -2) await expireReservations(db, now);
    }
    const [call, state] = [calls[turn], steps[turn]];
    if (call === undefined || state === undefined) continue;
    if (state.step === 0) {
      const result = await tryReserve(db, call.amount / 100, { spender: spenderOf(call), now });
      state.reservation = result.kind === "reserved" ? result.reservation : null;
      // A process that dies after sending has spent its whole reservation without settling it.
      if (state.reservation !== null && call.dies === "after sending") {
        for (const one of booksOf(call)) one.lost += call.amount;
        state.step = 3;
      }
    } else if (state.reservation !== null && state.step === 1 && call.extends)
      await extendReservation(db, state.reservation, LEASE_MS, now);
    else if (state.reservation !== null && state.step <= 2) {
      if (call.dies === "before settling") for (const one of booksOf(call)) one.lost += call.amount;
      else if (call.end === "release") await release(db, state.reservation, now);
      else {
        const cost = Math.floor(call.amount * call.cost);
        await settle(db, state.reservation, { cost: cost / 100, now });
        if (call.end === "settle twice") await settle(db, state.reservation, { cost: cost / 100, now });
        for (const one of booksOf(call)) one.spent += cost;
      }
      state.step = 3;
    }
    state.step++;
  }
  await expectBooks(db, { books, job, isStrict, start });
  // Much later: nothing is reserved, and only what was spent or lost counts.
  await expireReservations(db, now + 10 * LEASE_MS);
  expect(await db.all("select id from model_reservations where state = 'held'")).toEqual([]);
  const open = calls.filter((call, n) => {
    const state = steps[n];
    return state?.reservation != null && (state.step < 4 || call.dies !== "never");
  });
  const rows = await findBudgetRows(db, budgetKeys({ agent: "ada", job: null, goal: null }, spendingDay(start)));
  const stored = rows.find((row) => row.kind === "day");
  expect(Math.round((stored?.lost_nanos ?? 0) / 1e7)).toBe(open.reduce((sum, call) => sum + call.amount, 0));
}

/** Both the counted and the actual spending stay within the limit; if the cap is not strict, within twice the limit. */
async function expectBooks(
  db: Db,
  { books, job, isStrict, start }: { readonly books: Record<"day" | "job", Books> } & Omit<Play, "calls" | "order">,
): Promise<void> {
  const keys = budgetKeys({ agent: "ada", job, goal: null }, spendingDay(start));
  const rows = await findBudgetRows(db, keys);
  for (const [kind, limit] of [
    ["day", LIMIT],
    ["job", JOB_LIMIT],
  ] as const) {
    const told = rows.find((row) => row.kind === kind)?.spent_nanos ?? 0;
    expect(Math.round(told / 1e7)).toBe(books[kind].spent);
    expect(books[kind].spent + books[kind].lost).toBeLessThanOrEqual(isStrict ? limit : 2 * limit);
  }
}
