import { expect } from "vitest";
import type { SimEngine } from "../../sim/queue/engines.ts";
import { describeBroken, formatStory, runSeeds } from "../../sim/queue/run-seeds.ts";
import type { Fence } from "../../sim/queue/without-fence.ts";

/** Fails with the seed and the story of the first run that broke a promise. */
export async function expectKept(
  engine: SimEngine,
  range: { readonly from: number; readonly count: number },
): Promise<void> {
  const { failed } = await runSeeds(engine, range);
  if (failed !== null) expect.fail(`${describeBroken(engine.name, failed)}\n${formatStory(failed.story)}`);
}

/** Proves that the simulation can fail: without the fence one of the first runs breaks a promise. */
export async function expectFound(engine: SimEngine, without: Fence, within: number): Promise<void> {
  const { failed, seeds } = await runSeeds(engine, { from: 1, count: within }, { without });
  expect(failed?.broken.length, `no run of ${seeds} noticed that the ${without} fence is missing`).toBeGreaterThan(0);
}
