import { afterAll, beforeAll, describe, it } from "vitest";
import { openPglite } from "../../sim/queue/connections.ts";
import { openSimPostgres, openSimSqlite, type SimEngine } from "../../sim/queue/engines.ts";
import { fences } from "../../sim/queue/without-fence.ts";
import { expectFound, expectKept } from "../sim/seeds.ts";

// A run takes half a second of computing on PGlite, thirty times as long as on SQLite. The laws that the runs test are
// written once for both (`store/queue/make-queue.ts`). `oldhand sim --engine postgres --seeds 10000` runs as many.
describe.each([
  { name: "sqlite", open: openSimSqlite, seeds: 10_000 },
  { name: "postgres", open: async () => openSimPostgres(await openPglite()), seeds: 1_000 },
])("the simulated queue on $name", ({ open, seeds }) => {
  let engine: SimEngine;
  beforeAll(async () => {
    engine = await open();
  });
  afterAll(() => engine.close());

  it(`keeps its promises in ${seeds} runs`, () => expectKept(engine, { from: 1_000, count: seeds }));

  it.each(fences)("breaks a promise without the fence: %s", (fence) => expectFound(engine, fence, 120));
});
