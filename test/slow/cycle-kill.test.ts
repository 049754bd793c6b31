import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, it } from "vitest";
import { cycleSteps } from "../../src/domain/goal/cycle.ts";
import { bundleCycleChild, killCycle } from "../goals/cycle/kill-lab.ts";
import { stores } from "../stores.ts";

let child = "";
beforeAll(async () => {
  child = await bundleCycleChild();
});
afterAll(() => rmSync(child, { recursive: true, force: true }));

describe.each(stores)("kill -9 of a cycle, again and again ($name)", (kind) => {
  it.each(cycleSteps)("in its step %s, twice", async (step) => {
    for (let run = 0; run < 2; run++) await killCycle(kind, child, { step });
  });

  it("at any moment of its work and after it", async () => {
    for (let run = 0; run < 16; run++) await killCycle(kind, child, { afterMs: run * 25 });
  });
});
