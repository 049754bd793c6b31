import { expect, it } from "vitest";
import { fixedClock } from "../../src/lib/clock.ts";
import { currentProcess, formatProcessRef } from "../../src/lib/process-ref.ts";
import { openQueue } from "../../src/store/open-queue.ts";
import type { Db, Store } from "../../src/store/engine/db.ts";
import type { Claim, Queue, QueuedWork, Settlement } from "../../src/store/engine/queue.ts";
import { openStore } from "../../src/store/open.ts";

const me = formatProcessRef(currentProcess());
const elsewhere = { id: "another-machine/17/1", leaseMs: 10_000 };
const QUEUES = ["q", "other"];

/** An open queue on a database of its own. */
export interface QueuePlace {
  readonly store: Store;
  readonly database: string;
  readonly queue: Queue;
  /** Lets time pass: on SQLite its clock, on PostgreSQL all times in the tables move back. */
  pass(ms: number): Promise<void>;
}

export async function openPlace(store: Store, database: string): Promise<QueuePlace> {
  const clock = fixedClock(1_000_000);
  const queue = await openQueue(store, { queues: QUEUES, clock });
  const pass = async (ms: number) => {
    if (store.kind === "sqlite") return clock.advance(ms);
    await store.db.run("update claims set until = until - ?, claimed_at = claimed_at - ?", [ms, ms]);
    await store.db.run("update oldhand_queue.job set start_after = start_after - cast(? as bigint) * interval '1 ms'", [
      ms,
    ]);
  };
  return { store, database, queue, pass };
}

/** What every engine promises; `within` opens an empty queue, runs the test, and closes it. */
export function queueContract(within: (act: (place: QueuePlace) => Promise<void>) => Promise<void>): void {
  it("gives work by priority, then in order of arrival, each piece once", () =>
    within(async ({ store: { db }, queue }) => {
      for (const work of [{ item: "a" }, { item: "b", priority: 5 }, { item: "c" }, { item: "d", priority: -1 }])
        expect(await enqueue(db, queue, work)).toBe(true);
      const items: string[] = [];
      for (let n = 0; n < 4; n++) items.push((await queue.claim("q", elsewhere))?.item ?? "none");
      expect(items).toEqual(["b", "a", "c", "d"]);
      expect(await queue.claim("q", elsewhere)).toBeNull();
      expect(await queue.claim("other", elsewhere)).toBeNull();
      expect(await queue.counts("q")).toEqual({ waiting: 0, held: 4, done: 0, dead: 0 });
    }));

  it("has an item once, and takes it again only for a later attempt after it ended", () =>
    within(async ({ store: { db }, queue }) => {
      expect(await enqueue(db, queue, { item: "a" })).toBe(true);
      expect(await enqueue(db, queue, { item: "a" })).toBe(false);
      expect(await enqueue(db, queue, { item: "a", attempt: 2 })).toBe(false);
      expect(await enqueue(db, queue, { item: "a", queue: "other" })).toBe(true);
      const claim = await take(queue);
      expect(await enqueue(db, queue, { item: "a", attempt: 2 })).toBe(false);
      expect(await settle(db, queue, claim, { kind: "done" })).toBe(true);
      expect(await enqueue(db, queue, { item: "a" })).toBe(false);
      expect(await enqueue(db, queue, { item: "a", attempt: 2 })).toBe(true);
      expect(await take(queue)).toMatchObject({ item: "a", attempt: 2 });
      expect(await queue.counts("q")).toEqual({ waiting: 0, held: 1, done: 0, dead: 0 });
    }));

  it("gives nothing before its time", () =>
    within(async ({ store, queue, pass }) => {
      const soon = store.kind === "sqlite" ? 1_000_000 : await serverTime(store.db);
      await enqueue(store.db, queue, { item: "a", notBefore: soon + 60_000 });
      await enqueue(store.db, queue, { item: "past", notBefore: soon - 60_000 });
      expect(await take(queue)).toMatchObject({ item: "past" });
      expect(await queue.claim("q", elsewhere)).toBeNull();
      await pass(60_000);
      expect(await take(queue)).toMatchObject({ item: "a" });
    }));

  it("keeps nothing of a transaction that was rolled back", () =>
    within(async ({ store: { db }, queue }) => {
      const undone = db.tx(async (tx) => {
        expect(await queue.enqueue(tx, { queue: "q", item: "ghost", attempt: 1 })).toBe(true);
        throw new Error("undone");
      });
      await expect(undone).rejects.toThrow("undone");
      expect(await queue.claim("q", elsewhere)).toBeNull();
      await enqueue(db, queue, { item: "a" });
      const claim = await take(queue);
      const unsettled = db.tx(async (tx) => {
        expect(await queue.settle(tx, claim, { kind: "done" })).toBe(true);
        throw new Error("undone");
      });
      await expect(unsettled).rejects.toThrow("undone");
      expect(await queue.counts("q")).toEqual({ waiting: 0, held: 1, done: 0, dead: 0 });
      expect(await settle(db, queue, claim, { kind: "done" })).toBe(true);
    }));

  it("gives work to another when its lease ended, and refuses what the first one writes then", () =>
    within(async ({ store: { db }, queue, pass }) => {
      await enqueue(db, queue, { item: "a" });
      const first = await take(queue);
      await pass(elsewhere.leaseMs - 1);
      if (db.dialect.name === "sqlite") expect(await queue.recover()).toBe(0);
      await pass(1);
      expect(await queue.recover()).toBe(1);
      expect(await queue.recover()).toBe(0);
      expect(await queue.beat(first)).toBe(false);
      const second = await take(queue);
      expect(second).toMatchObject({ item: "a", attempt: 2 });
      expect(await queue.beat(first)).toBe(false);
      expect(await settle(db, queue, first, { kind: "done" })).toBe(false);
      expect(await settle(db, queue, { ...first, attempt: 2 }, { kind: "done" })).toBe(false);
      expect(await settle(db, queue, { ...second, attempt: 1 }, { kind: "done" })).toBe(false);
      expect(await queue.counts("q")).toEqual({ waiting: 0, held: 1, done: 0, dead: 0 });
      expect(await settle(db, queue, second, { kind: "done" })).toBe(true);
      expect(await settle(db, queue, second, { kind: "done" })).toBe(false);
      expect(await queue.beat(second)).toBe(false);
    }));

  it("extends a lease by a beat", () =>
    within(async ({ store: { db }, queue, pass }) => {
      await enqueue(db, queue, { item: "a" });
      const claim = await take(queue);
      await pass(6_000);
      expect(await queue.beat(claim)).toBe(true);
      await pass(6_000);
      expect(await queue.recover()).toBe(0);
      await pass(6_000);
      expect(await queue.recover()).toBe(1);
    }));

  it("lets no lease last longer than its length after the clock went back", () =>
    within(async ({ store: { db }, queue, pass }) => {
      await enqueue(db, queue, { item: "a" });
      await take(queue);
      await pass(-3_600_000);
      expect(await queue.recover()).toBe(0);
      await pass(elsewhere.leaseMs);
      expect(await queue.recover()).toBe(1);
    }));

  it("tries again later if the worker says so, and never after the last attempt", () =>
    within(async ({ store, queue, pass }) => {
      const { db } = store;
      await enqueue(db, queue, { item: "a", lastAttempt: 2 });
      expect(await settle(db, queue, await take(queue), { kind: "again", afterMs: 60_000 })).toBe(true);
      expect(await queue.claim("q", elsewhere)).toBeNull();
      await pass(60_000);
      const second = await take(queue);
      expect(second.attempt).toBe(2);
      expect(await settle(db, queue, second, { kind: "again" })).toBe(true);
      expect(await queue.counts("q")).toEqual({ waiting: 0, held: 0, done: 0, dead: 1 });
      expect(await queue.claim("q", elsewhere)).toBeNull();
    }));

  it("ends as dead when its leases end on the last attempt, or when the worker says so", () =>
    within(async ({ store: { db }, queue, pass }) => {
      await enqueue(db, queue, { item: "a", lastAttempt: 1 });
      await take(queue);
      await pass(elsewhere.leaseMs);
      expect(await queue.recover()).toBe(1);
      await enqueue(db, queue, { item: "b" });
      expect(await settle(db, queue, await take(queue), { kind: "dead", reason: "refused" })).toBe(true);
      expect(await queue.counts("q")).toEqual({ waiting: 0, held: 0, done: 0, dead: 2 });
      expect(await queue.claim("q", elsewhere)).toBeNull();
      expect(await enqueue(db, queue, { item: "a", attempt: 2 })).toBe(true);
      expect(await take(queue)).toMatchObject({ item: "a", attempt: 2 });
    }));

  it("prunes what ended, and nothing else", () =>
    within(async ({ store, queue }) => {
      const { db } = store;
      for (const item of ["a", "b", "c"]) await enqueue(db, queue, { item });
      await settle(db, queue, await take(queue), { kind: "done" });
      await settle(db, queue, await take(queue), { kind: "dead", reason: "refused" });
      expect(await queue.prune(1_000_000)).toBe(0);
      const later = 60_000 + (store.kind === "sqlite" ? 1_000_000 : await serverTime(db));
      expect(await queue.prune(later)).toBe(2);
      expect(await queue.counts("q")).toEqual({ waiting: 1, held: 0, done: 0, dead: 0 });
      expect(await enqueue(db, queue, { item: "a" })).toBe(true);
    }));

  it("refuses a claim from before it was emptied, though item and attempt are the same", () =>
    within(async ({ store: { db }, queue }) => {
      await enqueue(db, queue, { item: "a" });
      const old = await take(queue);
      await db.tx(async (tx) => {
        await queue.clear(tx);
        await queue.enqueue(tx, { queue: "q", item: "a", attempt: 1 });
      });
      const claim = await take(queue);
      expect(claim).toMatchObject({ item: "a", attempt: 1 });
      expect(await settle(db, queue, old, { kind: "done" })).toBe(false);
      expect(await queue.beat(old)).toBe(false);
      expect(await settle(db, queue, claim, { kind: "done" })).toBe(true);
    }));

  it("calls back when another process enqueues", () =>
    within(async ({ database, queue }) => {
      let ring = (): void => {};
      const rung = new Promise<void>((resolve) => {
        ring = resolve;
      });
      const watch = await queue.watch(["q"], ring);
      const other = await openStore({ database, busyMs: 10_000 });
      const otherQueue = await openQueue(other, { queues: QUEUES, clock: fixedClock(1_000_000) });
      await enqueue(other.db, otherQueue, { item: "a" });
      await rung;
      await watch.close();
      await otherQueue.close();
      await other.close();
    }));

  it("gives each piece to one of six workers that ask at once", () =>
    within(async ({ store, database, queue }) => {
      await store.db.tx(async (tx) => {
        for (let n = 0; n < 48; n++) await queue.enqueue(tx, { queue: "q", item: `i${n}`, attempt: 1 });
      });
      const workers = await Promise.all(Array.from({ length: 6 }, () => openStore({ database, busyMs: 10_000 })));
      const done = await Promise.all(
        workers.map(async (worker) => {
          const own = await openQueue(worker, { queues: QUEUES, clock: fixedClock(1_000_000) });
          const mine: string[] = [];
          for (;;) {
            const claim = await own.claim("q", { id: me, leaseMs: 60_000 });
            if (claim === null) break;
            if (await settle(worker.db, own, claim, { kind: "done" })) mine.push(claim.item);
          }
          await own.close();
          return mine;
        }),
      );
      expect(done.flat()).toHaveLength(48);
      expect(new Set(done.flat()).size).toBe(48);
      expect(await queue.counts("q")).toEqual({ waiting: 0, held: 0, done: 48, dead: 0 });
      await Promise.all(workers.map((worker) => worker.close()));
    }));
}

export function enqueue(db: Db, queue: Queue, work: Partial<QueuedWork> & { readonly item: string }): Promise<boolean> {
  return db.tx((tx) => queue.enqueue(tx, { queue: "q", attempt: 1, ...work }));
}

export function settle(db: Db, queue: Queue, claim: Claim, settlement: Settlement): Promise<boolean> {
  return db.tx((tx) => queue.settle(tx, claim, settlement));
}

export async function take(queue: Queue): Promise<Claim> {
  const claim = await queue.claim("q", elsewhere);
  if (claim === null) throw new Error("there is no work");
  return claim;
}

async function serverTime(db: Db): Promise<number> {
  const row = await db.get<{ now: number }>("select cast(extract(epoch from now()) * 1000 as bigint) as now");
  return row?.now ?? 0;
}
