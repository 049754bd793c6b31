import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, it } from "vitest";
import { cycleSteps } from "../../../src/domain/goal/cycle.ts";
import { stores } from "../../stores.ts";
import { bundleCycleChild, killCycle } from "./kill-lab.ts";

let child = "";
beforeAll(async () => {
  child = await bundleCycleChild();
});
afterAll(() => rmSync(child, { recursive: true, force: true }));

describe.each(stores)("kill -9 of a cycle ($name)", (kind) => {
  // 64 and more in test/slow/cycle-kill.test.ts.
  it.each(cycleSteps)("in its step %s loses one attempt at most, and the task is done once", (step) =>
    killCycle(kind, child, { step }),
  );
});
