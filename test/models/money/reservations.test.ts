import { describe, expect, it } from "vitest";
import { listCapUsage } from "../../../src/store/models/cap-usage.ts";
import {
  expireReservations,
  extendReservation,
  release,
  reserve,
  settle,
} from "../../../src/store/models/reservations.ts";
import { stores, withStore } from "../../stores.ts";
import { ada, LEASE_MS, mustReserve, noon, setCap, tryReserve } from "./lab.ts";

const nobody = { agent: "nobody", job: null, goal: null };

describe.each(stores)("a reservation, on $name", (kind) => {
  it("counts against the day until it is settled; then its cost counts, once", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "day", 1);
      const first = await mustReserve(db, 0.6);
      expect(await tryReserve(db, 0.6)).toEqual({
        kind: "capped",
        hit: {
          ...{ cap: "day", limit: 1, spent: 0, reserved: 0.6, lost: 0, needed: 0.6, unpriced: null },
          extend: "oldhand models caps extend day 3",
        },
      });
      await settle(db, first, { cost: 0.1, now: noon });
      await settle(db, first, { cost: 0.1, now: noon });
      const second = await mustReserve(db, 0.9);
      await release(db, second, noon);
      await mustReserve(db, 0.9);
    }));

  it("counts against every cap that applies: agent, job and goal", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "agent ada", 1);
      await setCap(db, "job nightly", 2);
      await setCap(db, "goal ship it", 3);
      const spender = { agent: "ada", job: "nightly", goal: "ship it" };
      await settle(db, await mustReserve(db, 1, { spender }), { cost: 1, now: noon });
      expect(await tryReserve(db, 0.1)).toMatchObject({ hit: { cap: "agent ada" } });
      const bob = { ...spender, agent: "bob" };
      await settle(db, await mustReserve(db, 1, { spender: bob }), { cost: 1, now: noon });
      expect(await tryReserve(db, 0.1, { spender: bob })).toMatchObject({ hit: { cap: "job nightly" } });
      // A day is over for an agent, not for a job.
      const tomorrow = noon + 86_400_000;
      expect(await tryReserve(db, 0.1, { spender, now: tomorrow })).toMatchObject({ hit: { cap: "job nightly" } });
      await mustReserve(db, 1, { spender: { ...spender, job: null }, now: tomorrow });
      expect(await tryReserve(db, 0.1, { spender: { ...bob, job: null } })).toMatchObject({
        hit: { cap: "goal ship it", extend: "oldhand models caps extend goal 'ship it' 0.50" },
      });
    }));

  it("that cost more than was reserved counts in full, and the next call sees it", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "day", 1);
      await settle(db, await mustReserve(db, 0.5), { cost: 1.5, now: noon });
      expect(await tryReserve(db, 0.01)).toMatchObject({ kind: "capped", hit: { spent: 1.5 } });
    }));

  it("holds nothing after its lease; a holder that settles late is counted in full", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "day", 1);
      const first = await mustReserve(db, 1);
      expect(await extendReservation(db, first, 2 * LEASE_MS, noon)).toBe(true);
      expect(await expireReservations(db, noon + 2 * LEASE_MS - 1)).toBe(0);
      expect(await expireReservations(db, noon + 2 * LEASE_MS)).toBe(1);
      expect(await extendReservation(db, first, LEASE_MS, noon)).toBe(false);
      const later = { now: noon + 2 * LEASE_MS };
      const second = await mustReserve(db, 1, later);
      await settle(db, first, { cost: 1, ...later });
      await release(db, second, later.now);
      expect(await tryReserve(db, 0.01, later)).toMatchObject({ kind: "capped", hit: { spent: 1, reserved: 0 } });
      expect(await listCapUsage(db, later.now)).toMatchObject([{ lost: 0 }]);
    }));

  it("that its holder never settled is forgiven up to the amount of the cap, and no further", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "day", 1);
      await setCap(db, "agent ada", 1, { isStrict: true });
      for (const minute of [0, 1]) await mustReserve(db, 1, { spender: nobody, now: noon + minute * LEASE_MS });
      const now = noon + 2 * LEASE_MS;
      expect(await tryReserve(db, 0.01, { now })).toMatchObject({ kind: "capped", hit: { spent: 0, reserved: 0 } });
      expect(await listCapUsage(db, now)).toMatchObject([{ cap: { id: "day" }, lost: 2e9 }, { lost: 0 }]);
      // A strict cap forgives nothing.
      const tomorrow = noon + 86_400_000;
      await mustReserve(db, 0.9, { now: tomorrow });
      const after = { now: tomorrow + LEASE_MS };
      expect(await tryReserve(db, 0.2, after)).toMatchObject({ hit: { cap: "agent ada" } });
      await mustReserve(db, 0.2, { ...after, spender: nobody });
    }));

  it("of a free model is never stopped, and its fallback to a paid one is checked again (litellm#41344)", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "day", 1);
      await settle(db, await mustReserve(db, 1), { cost: 1.2, now: noon });
      const call = { call: "c_free", spender: ada, leaseMs: LEASE_MS, now: noon };
      const free = await reserve(db, { ...call, attempt: 0, amount: 0 });
      expect(free.kind).toBe("reserved");
      if (free.kind === "reserved") await release(db, free.reservation, noon);
      expect(await reserve(db, { ...call, attempt: 1, amount: 0.001 })).toMatchObject({ kind: "capped" });
    }));

  it("is not passed by the first burst of a day, before anything is counted (litellm#40095)", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "day", 1);
      const all = await Promise.all(Array.from({ length: 50 }, () => tryReserve(db, 0.1)));
      const held = all.flatMap((one) => (one.kind === "reserved" ? [one.reservation] : []));
      expect(held).toHaveLength(10);
      await Promise.all(held.map((one) => settle(db, one, { cost: 0.1, now: noon })));
      expect(await listCapUsage(db, noon)).toMatchObject([{ spent: 1e9, reserved: 0, lost: 0 }]);
    }));

  it("of a subscription's call counts against a cap that the owner set, and not against the default", () =>
    withStore(kind, async ({ db }) => {
      await settle(db, await mustReserve(db, 50, { listPrice: true }), { cost: 50, now: noon });
      await mustReserve(db, 20);
      expect(await tryReserve(db, 0.1)).toMatchObject({ hit: { cap: "day", limit: 20, spent: 0 } });
      await setCap(db, "day", 60);
      expect(await tryReserve(db, 1, { listPrice: true })).toMatchObject({ hit: { spent: 50, reserved: 20 } });
      await setCap(db, "day", null);
      await mustReserve(db, 1_000);
    }));
});
