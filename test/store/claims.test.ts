import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatProcessRef, isProcessGone, currentProcess } from "../../src/lib/process-ref.ts";
import {
  claimNextWork,
  countClaims,
  extendClaim,
  failClaim,
  finishClaim,
  enqueueWork,
} from "../../src/store/state/claims.ts";
import { acquireLease, releaseLease, renewLease } from "../../src/store/state/leases.ts";
import { openStore } from "../../src/store/open.ts";
import { claimSlot, pruneSlots } from "../../src/store/state/slots.ts";
import { stores, withStore } from "../stores.ts";
import { type Children, bundleChildren } from "./children.ts";

const me = formatProcessRef(currentProcess());
const elsewhere = "another-machine/17/1";
const asking = (now: number) => ({ owner: me, now, leaseMs: 1_000 });

let children: Children;
beforeAll(async () => {
  children = await bundleChildren();
});
afterAll(() => children.remove());

describe.each(stores)("claims on $name", (kind) => {
  it("are taken in order of priority, then of arrival, each once", () =>
    withStore(kind, async ({ db }) => {
      const work = { queue: "q", maxAttempts: 3 };
      expect(await enqueueWork(db, { ...work, item: "late", now: 2 })).toBe(true);
      expect(await enqueueWork(db, { ...work, item: "early", now: 1, payload: "{}" })).toBe(true);
      expect(await enqueueWork(db, { ...work, item: "urgent", now: 3, priority: -1 })).toBe(true);
      expect(await enqueueWork(db, { ...work, item: "early", now: 9 })).toBe(false);
      const taken: string[] = [];
      for (let i = 0; i < 3; i++) {
        const result = await claimNextWork(db, "q", asking(10));
        if (result.kind === "claimed") taken.push(result.claim.item);
      }
      expect(taken).toEqual(["urgent", "early", "late"]);
      expect(await claimNextWork(db, "q", asking(10))).toEqual({ kind: "none" });
      expect(await claimNextWork(db, "other", asking(10))).toEqual({ kind: "none" });
      expect(await countClaims(db, "q")).toEqual([{ state: "held", count: 3 }]);
    }));

  it("come back when their time runs out, and end dead when the attempts are used up", () =>
    withStore(kind, async ({ db }) => {
      await enqueueWork(db, { queue: "q", item: "a", now: 1, maxAttempts: 3 });
      const first = await claimNextWork(db, "q", { owner: elsewhere, now: 10, leaseMs: 100 });
      expect(await claimNextWork(db, "q", asking(50))).toEqual({ kind: "none" });
      const second = await claimNextWork(db, "q", asking(200));
      expect(second).toMatchObject({ kind: "claimed", claim: { item: "a", attempts: 2 } });
      if (first.kind !== "claimed" || second.kind !== "claimed") throw new Error("not claimed");
      expect(await finishClaim(db, first.claim)).toBe(false);
      expect(await extendClaim(db, first.claim, 9_999)).toBe(false);
      expect(await extendClaim(db, second.claim, 5_000)).toBe(true);
      expect(await claimNextWork(db, "q", asking(4_000))).toEqual({ kind: "none" });
      expect(await failClaim(db, second.claim, "no luck")).toBe(true);
      expect(await failClaim(db, second.claim, "no luck")).toBe(false);
      const third = await claimNextWork(db, "q", asking(6_000));
      if (third.kind !== "claimed") throw new Error("not claimed");
      expect(await failClaim(db, third.claim, "no luck")).toBe(true);
      expect(await countClaims(db, "q")).toEqual([{ state: "dead", count: 1 }]);
      expect(await claimNextWork(db, "q", asking(9_999))).toEqual({ kind: "none" });
    }));

  it("go to exactly one of eight workers asking at once", () =>
    withStore(kind, async ({ db }, database) => {
      const workers = await Promise.all(Array.from({ length: 8 }, () => openStore({ database, busyMs: 10_000 })));
      for (let i = 0; i < 100; i++) await enqueueWork(db, { queue: "q", item: `i${i}`, now: i, maxAttempts: 1 });
      const done = await Promise.all(
        workers.map(async (worker) => {
          const mine: string[] = [];
          for (;;) {
            const result = await claimNextWork(worker.db, "q", asking(1_000));
            if (result.kind === "none") return mine;
            mine.push(result.claim.item);
            await finishClaim(worker.db, result.claim);
          }
        }),
      );
      expect(done.flat()).toHaveLength(100);
      expect(new Set(done.flat()).size).toBe(100);
      expect(await countClaims(db, "q")).toEqual([{ state: "done", count: 100 }]);
      await Promise.all(workers.map((worker) => worker.close()));
    }));

  it("go to exactly one of several processes", () =>
    withStore(kind, async ({ db }, database) => {
      for (let i = 0; i < 60; i++) await enqueueWork(db, { queue: "work", item: `i${i}`, now: i, maxAttempts: 1 });
      const ended = await Promise.all([0, 1, 2].map(() => children.run(["work", database])));
      expect(ended.map((one) => one.stderr)).toEqual(["", "", ""]);
      const done = ended.flatMap((one) => one.lines);
      expect(done.toSorted()).toEqual(Array.from({ length: 60 }, (_, i) => `i${i}`).toSorted());
    }));
});

describe.each(stores)("leases on $name", (kind) => {
  const asker = (owner: string, now: number) => ({ owner, now, ttlMs: 100 });

  it("have one holder, who may renew and release", () =>
    withStore(kind, async ({ db }) => {
      const mine = await acquireLease(db, "lead", asker(me, 0));
      if (mine.kind !== "held") throw new Error("not held");
      expect(await acquireLease(db, "lead", asker(elsewhere, 50))).toEqual({ kind: "taken", by: me, until: 100 });
      expect(await renewLease(db, mine.lease, 200)).toBe(true);
      expect((await acquireLease(db, "lead", asker(elsewhere, 150))).kind).toBe("taken");
      expect(await releaseLease(db, mine.lease)).toBe(true);
      expect((await acquireLease(db, "lead", asker(elsewhere, 150))).kind).toBe("held");
      expect(await renewLease(db, mine.lease, 999)).toBe(false);
      expect(await releaseLease(db, mine.lease)).toBe(false);
    }));

  it("pass on when their time is over, and the old holder learns it lost", () =>
    withStore(kind, async ({ db }) => {
      const old = await acquireLease(db, "lead", asker(elsewhere, 0));
      expect((await acquireLease(db, "lead", asker(me, 100))).kind).toBe("held");
      if (old.kind !== "held") throw new Error("nobody else held it");
      expect(await renewLease(db, old.lease, 999)).toBe(false);
      expect(await releaseLease(db, old.lease)).toBe(false);
    }));

  it("go to one of eight asking at once, first and when it ran out", () =>
    withStore(kind, async ({ db }, database) => {
      const askers = await Promise.all(Array.from({ length: 8 }, () => openStore({ database, busyMs: 10_000 })));
      for (const now of [0, 100, 200]) {
        const results = await Promise.all(askers.map((one) => acquireLease(one.db, "lead", asker(me, now))));
        expect(results.filter((result) => result.kind === "held")).toHaveLength(1);
      }
      expect(await db.all("select name from leases")).toHaveLength(1);
      await Promise.all(askers.map((one) => one.close()));
    }));

  it("die with the process that held them, and so do claims", () =>
    withStore(kind, async ({ db }, database) => {
      await enqueueWork(db, { queue: "work", item: "a", now: 0, maxAttempts: 3 });
      const holder = children.start(["hold", database]);
      expect(await holder.firstLine).toBe("held claimed");
      expect((await acquireLease(db, "lead", asker(me, 1_001))).kind).toBe("taken");
      expect(await claimNextWork(db, "work", asking(1_001))).toEqual({ kind: "none" });
      holder.kill();
      await holder.ended;
      expect((await acquireLease(db, "lead", asker(me, 1_002))).kind).toBe("held");
      expect(await claimNextWork(db, "work", asking(1_002))).toMatchObject({ kind: "claimed", claim: { attempts: 2 } });
    }));

  it("are not thought dead from another machine", () => {
    expect(isProcessGone(elsewhere)).toBe(false);
    expect(isProcessGone(me)).toBe(false);
  });

  // Only on Linux is the start time of a process known.
  it.runIf(process.platform === "linux")("are not kept for a later process of the same number", () => {
    const [machine, pid] = me.split("/");
    expect(isProcessGone(`${machine}/${pid}/1`)).toBe(true);
  });
});

describe.each(stores)("slots on $name", (kind) => {
  it("are given to one caller each, of eight at once", () =>
    withStore(kind, async ({ db }, database) => {
      const callers = await Promise.all(Array.from({ length: 8 }, () => openStore({ database, busyMs: 10_000 })));
      for (const slot of [1, 2, 3]) {
        const results = await Promise.all(
          callers.map((one) => claimSlot(one.db, "nightly", slot, { owner: me, now: slot })),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
      }
      expect(await claimSlot(db, "hourly", 1, { owner: me, now: 1 })).toBe(true);
      expect(await pruneSlots(db, 2)).toBe(2);
      expect(await claimSlot(db, "nightly", 2, { owner: me, now: 9 })).toBe(false);
      await Promise.all(callers.map((one) => one.close()));
    }));
});
