import { describe, expect, it } from "vitest";
import { makeProvenance, applyChange } from "../../../src/store/journal/journal.ts";
import { type Cap, type CapKind, capId, defaultDayCap } from "../../../src/domain/model/caps.ts";
import { owner } from "../../../src/domain/actor.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { capNoun } from "../../../src/store/nouns/caps.ts";
import {
  extendReservation,
  expireReservations,
  release,
  reserve,
  settle,
} from "../../../src/store/models/reservations.ts";
import { stores, withStore } from "../../stores.ts";

const now = Date.UTC(2026, 10, 17, 12);
const ada = { agent: "ada", job: null, goal: null };

async function setCap(db: Db, kind: CapKind, name: string, dollars: number | null, more: Partial<Cap> = {}) {
  const id = capId(kind, name);
  const by = makeProvenance({ actor: owner, clock: { now: () => now } as never }, "models caps set");
  await applyChange(db, { noun: capNoun, id }, by, () => ({
    ...defaultDayCap,
    id,
    kind,
    name,
    limit: dollars,
    counts: "all",
    ...more,
  }));
}

async function take(db: Db, amount: number, at = now, spender = ada) {
  const result = await reserve(db, { call: "c1", attempt: 0, spender, amount, leaseMs: 60_000, now: at });
  if (result.kind === "capped") throw new Error(`capped by ${result.hit.cap}`);
  return result.reservation;
}

describe.each(stores)("a reservation, on $name", (kind) => {
  it("counts against the cap of the day until it is settled, and then its cost counts", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "day", "", 1);
      const first = await take(db, 0.6);
      const refused = await reserve(db, { call: "c2", attempt: 0, spender: ada, amount: 0.6, leaseMs: 60_000, now });
      expect(refused).toEqual({
        kind: "capped",
        hit: {
          cap: "day",
          limit: 1,
          spent: 0,
          reserved: 0.6,
          needed: 0.6,
          extend: "oldhand models caps extend day 0.50",
        },
      });
      await settle(db, first, { cost: 0.1, now });
      await settle(db, first, { cost: 0.1, now });
      const second = await take(db, 0.9);
      await release(db, second, now);
      await take(db, 0.9);
    }));

  it("is released when its lease ends; a holder that settles late is counted in full", () =>
    withStore(kind, async ({ db }) => {
      await setCap(db, "day", "", 1);
      const first = await take(db, 1);
      expect(await extendReservation(db, first, 120_000, now)).toBe(true);
      expect(await expireReservations(db, now + 119_000)).toBe(0);
      expect(await expireReservations(db, now + 120_000)).toBe(1);
      expect(await extendReservation(db, first, 120_000, now)).toBe(false);
      const second = await take(db, 1, now + 120_000);
      await settle(db, first, { cost: 1, now });
      await release(db, second, now);
      await expect(take(db, 0.01, now + 120_000)).rejects.toThrow("capped by day");
    }));
});
