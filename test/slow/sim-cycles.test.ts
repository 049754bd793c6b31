import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer } from "../../sim/queue/connections.ts";
import { openSimPostgres, openSimSqlite, type SimEngine } from "../../sim/queue/engines.ts";
import { HOUR, MINUTE } from "../../src/lib/clock.ts";
import { expectCyclesKept } from "../sim/cycle-seeds.ts";
import { stores, type TestDatabase } from "../stores.ts";

describe.each(stores)("1,000 simulated cycles on $name", (kind) => {
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

  it.each([5 * MINUTE, HOUR, 24 * HOUR])("keep their promises, one each %i ms", async (everyMs) => {
    // A month of leases that are renewed and looks of an idle process takes longer to simulate.
    const count = everyMs > HOUR ? 2 : kind.name === "sqlite" ? 15 : 5;
    const counts = await expectCyclesKept(engine, { from: 1_000, count }, { goals: 5, everyMs });
    process.stdout.write(`${kind.name}, each ${everyMs / MINUTE} minutes: ${JSON.stringify(counts)}\n`);
    if (kind.name === "sqlite" && everyMs === HOUR) expect(counts.cycles).toBeGreaterThan(1_000);
  });
});
