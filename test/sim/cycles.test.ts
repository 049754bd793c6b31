import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer } from "../../sim/queue/connections.ts";
import { openSimPostgres, openSimSqlite, type SimEngine } from "../../sim/queue/engines.ts";
import { simulateCycles } from "../../sim/cycles/cycles-scenario.ts";
import { cycleFences } from "../../sim/cycles/without-cycle-fence.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { stores, type TestDatabase } from "../stores.ts";
import { expectCyclesKept, findBrokenSeed } from "./cycle-seeds.ts";

describe.each(stores)("the simulated cycles on $name", (kind) => {
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
  // 1,000 in test/slow/sim-cycles.test.ts.
  const seeds = kind.name === "sqlite" ? 4 : 1;

  it("do no task twice, lose none and starve none, with crashes, stopped processes, outages and jumping clocks", async () => {
    const counts = await expectCyclesKept(engine, { from: 1, count: seeds }, { goals: 4, everyMs: HOUR });
    if (kind.name === "sqlite") expect(counts.cycles).toBeGreaterThan(100);
    expect(counts.done).toBeGreaterThan(0);
  });
});

describe("the simulated cycles on sqlite, without a fence", () => {
  let engine: SimEngine;
  beforeAll(async () => {
    engine = await openSimSqlite();
  });
  afterAll(() => engine.close());

  it.each(cycleFences)("break a promise: %s", async (without) => {
    const seed = await findBrokenSeed(engine, { from: 1, count: 80 }, { goals: 4, everyMs: HOUR / 12, without });
    expect(seed).not.toBeNull();
  });

  it("keep their promises at each cadence", async () => {
    for (const everyMs of [HOUR / 12, 24 * HOUR]) {
      const { broken } = await simulateCycles(engine, 21, { goals: 2, everyMs });
      expect(broken).toEqual([]);
    }
  });
});
