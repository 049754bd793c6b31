import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatProcessRef, isProcessGone, currentProcess } from "../../src/lib/process-ref.ts";
import { acquireLease, releaseLease, renewLease } from "../../src/store/state/leases.ts";
import { openStore } from "../../src/store/open.ts";
import { stores, withStore } from "../stores.ts";
import { type Children, bundleChildren } from "./children.ts";

const me = formatProcessRef(currentProcess());
const elsewhere = "another-machine/17/1";

let children: Children;
beforeAll(async () => {
  children = await bundleChildren();
});
afterAll(() => children.remove());

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

  it("die with the process that held them", () =>
    withStore(kind, async ({ db }, database) => {
      const holder = children.start(["hold", database]);
      expect(await holder.firstLine).toBe("held");
      expect((await acquireLease(db, "lead", asker(me, 1_001))).kind).toBe("taken");
      holder.kill();
      await holder.ended;
      expect((await acquireLease(db, "lead", asker(me, 1_002))).kind).toBe("held");
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
