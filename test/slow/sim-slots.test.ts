import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPglite } from "../../sim/queue/connections.ts";
import { openSimPostgres, openSimSqlite, type SimEngine } from "../../sim/queue/engines.ts";
import { slotFences } from "../../sim/slots/without-slot-fence.ts";
import { idleHours } from "../sim/idle-hours.ts";
import { expectSlotFenceFound, expectSlotsKept } from "../sim/slot-seeds.ts";

const TEN_YEARS = 3_653;

describe.each([
  { name: "sqlite", open: openSimSqlite, machines: [1, 2] },
  { name: "postgres", open: async () => openSimPostgres(await openPglite()), machines: [2] },
] as const)("the simulated slots on $name", ({ open, machines }) => {
  let engine: SimEngine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.close());

  // Two machines have clocks that disagree with each other's and with the store's.
  it.each([...machines])("have one row and one fate each in ten years, on %d machine(s)", async (count) => {
    const began = performance.now();
    const counts = await expectSlotsKept(engine, { from: 100, count: 1 }, TEN_YEARS, count);
    for (const kind of ["ran", "failed", "asleep", "disabled", "overlapping"]) expect(counts[kind]).toBeGreaterThan(0);
    const seconds = Math.round((performance.now() - began) / 1_000);
    process.stdout.write(`${engine.name}, ten years on ${count}, ${seconds} s: ${JSON.stringify(counts)}\n`);
  });

  it.each(slotFences)("break a promise without the fence: %s", (fence) =>
    // A worker is rarely killed in the seconds in which it runs a slot.
    expectSlotFenceFound(engine, fence, { days: 90, within: fence === "begun" ? 80 : 20 }),
  );

  it("cost nothing while nothing is due: 24 hours write only signs of life", async () => {
    const { writes, reads } = await idleHours(engine, 24);
    expect(writes).toEqual({ workers: 24 * 120 });
    expect(reads).toBeGreaterThan(0);
  });
});
