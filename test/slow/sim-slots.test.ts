import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../../sim/queue/connections.ts";
import { openSimPostgres, openSimSqlite, type SimEngine } from "../../sim/queue/engines.ts";
import { slotFences } from "../../sim/slots/without-slot-fence.ts";
import { idleHours } from "../sim/idle-hours.ts";
import { expectSlotFenceFound, expectSlotsKept } from "../sim/slot-seeds.ts";

describe.each([
  { name: "sqlite", open: openSimSqlite, days: 3_653 },
  // Two machines whose clocks disagree with the server's.
  { name: "postgres", open: async () => openSimPostgres(await openPglite()), days: 730 },
])("the simulated slots on $name", ({ open, days }) => {
  let engine: SimEngine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.close());

  it(`have one row and one fate each in ${days} days`, async () => {
    const counts = await expectSlotsKept(engine, { from: 100, count: 1 }, days);
    for (const kind of ["ran", "failed", "asleep", "disabled", "overlapping"]) expect(counts[kind]).toBeGreaterThan(0);
    process.stdout.write(`${engine.name}, ${days} days: ${JSON.stringify(counts)}\n`);
  });

  it.each(slotFences)("break a promise without the fence: %s", (fence) =>
    expectSlotFenceFound(engine, fence, { days: 90, within: 20 }),
  );

  it("cost nothing while nothing is due: 24 hours write only signs of life", async () => {
    const { writes, reads } = await idleHours(engine, 24);
    expect(writes).toEqual({ workers: 24 * 120 });
    expect(reads).toBeGreaterThan(0);
  });
});
