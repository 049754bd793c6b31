import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer } from "../../sim/queue/connections.ts";
import { openSimPostgres, openSimSqlite, type SimEngine } from "../../sim/queue/engines.ts";
import { simulateQueue } from "../../sim/queue/queue-scenario.ts";
import { stores, type TestDatabase } from "../stores.ts";
import { expectFound, expectKept } from "./seeds.ts";

// A seed takes ten times as long on PostgreSQL. The slow suite has more of both, and PGlite.
const seeds = { sqlite: 120, postgres: 20 };

describe.each(stores)("the simulated queue on $name", (kind) => {
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

  it(`keeps its promises in ${seeds[kind.name]} runs with crashes, pauses, jumping clocks and lost answers`, () =>
    expectKept(engine, { from: 1, count: seeds[kind.name] }));

  it("runs the same way again from the same seed", async () => {
    const [first, second] = [await simulateQueue(engine, 7), await simulateQueue(engine, 7)];
    expect(second.story).toEqual(first.story);
    expect(first.story.length).toBeGreaterThan(50);
    expect((await simulateQueue(engine, 8)).story).not.toEqual(first.story);
  });

  it("breaks a promise when work is taken before its lease ends", () => expectFound(engine, "lease", 10));
});

describe("the simulated queue on sqlite, without a fence", () => {
  let engine: SimEngine;
  beforeAll(async () => {
    engine = await openSimSqlite();
  });
  afterAll(() => engine.close());

  it("breaks a promise when a settlement is not tied to the claim's token", () => expectFound(engine, "token", 60));

  it("breaks a promise when record and settlement are not one transaction", () =>
    expectFound(engine, "transaction", 10));
});
