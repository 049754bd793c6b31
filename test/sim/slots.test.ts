import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer } from "../../sim/queue/connections.ts";
import { openSimPostgres, openSimSqlite, type SimEngine } from "../../sim/queue/engines.ts";
import { simulateSlots } from "../../sim/slots/slots-scenario.ts";
import { slotFences } from "../../sim/slots/without-slot-fence.ts";
import { stores, type TestDatabase } from "../stores.ts";
import { idleHours } from "./idle-hours.ts";
import { expectSlotFenceFound, expectSlotsKept } from "./slot-seeds.ts";

// The slow suite simulates ten years.
const runs = { sqlite: { days: 40, seeds: 1, idle: 1 }, postgres: { days: 15, seeds: 1, idle: 0.1 } };

describe.each(stores)("the simulated slots on $name", (kind) => {
  let engine: SimEngine;
  let place: TestDatabase;
  beforeAll(async () => {
    place = await kind.migrated();
    engine = kind.name === "sqlite" ? await openSimSqlite() : await openSimPostgres(await openServer(place.database));
  });
  afterAll(async () => {
    await engine.close();
    await place.remove();
  });
  const { days, seeds, idle } = runs[kind.name];

  it(`have one row and one fate each, in ${days} days with crashes, sleep, jumping clocks and summer time`, async () => {
    const counts = await expectSlotsKept(engine, { from: 1, count: seeds }, days);
    expect(counts["ran"]).toBeGreaterThan(0);
  });

  it(`cost nothing while nothing is due: ${idle} hours write only signs of life`, async () => {
    const { writes } = await idleHours(engine, idle);
    expect(writes).toEqual({ workers: idle * 120 });
  });
});

describe("the simulated slots on sqlite, without a fence", () => {
  let engine: SimEngine;
  beforeAll(async () => {
    engine = await openSimSqlite();
  });
  afterAll(() => engine.close());

  // A worker is rarely killed in the seconds in which it runs a slot: these runs have one that is.
  const from = { begun: 55, transaction: 1, kept: 1 };
  it.each(slotFences)("break a promise: %s", (fence) =>
    expectSlotFenceFound(engine, fence, { days: 90, from: from[fence], within: 8 }),
  );

  it("run the same way again from the same seed", async () => {
    const [first, second] = [
      await simulateSlots(engine, 5, { days: 12 }),
      await simulateSlots(engine, 5, { days: 12 }),
    ];
    expect(second.story).toEqual(first.story);
  });
});
