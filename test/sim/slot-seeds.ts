import { expect } from "vitest";
import type { SimEngine } from "../../sim/queue/engines.ts";
import { formatStory } from "../../sim/queue/run-seeds.ts";
import { simulateSlots, type SlotsRun } from "../../sim/slots/slots-scenario.ts";
import type { SlotFence } from "../../sim/slots/without-slot-fence.ts";

/** Fails with the seed and the end of the story of the first run that broke a promise. Returns what became of slots. */
export async function expectSlotsKept(
  engine: SimEngine,
  range: { readonly from: number; readonly count: number },
  days: number,
  machines?: 1 | 2,
): Promise<SlotsRun["counts"]> {
  const sums: Record<string, number> = {};
  for (let seed = range.from; seed < range.from + range.count; seed++) {
    const run = await simulateSlots(engine, seed, { days, machines });
    if (run.broken.length > 0) {
      const story = formatStory(run.story.slice(-200));
      expect.fail(
        `seed ${seed}, ${days} days on ${engine.name}${machines === undefined ? "" : `, ${machines} machine(s)`}: ${run.broken.slice(0, 5).join("; ")}\n${story}`,
      );
    }
    for (const [kind, count] of Object.entries(run.counts)) sums[kind] = (sums[kind] ?? 0) + count;
  }
  return sums;
}

/** Proves that the simulation can fail: without the fence one of these runs breaks a promise. */
export async function expectSlotFenceFound(
  engine: SimEngine,
  without: SlotFence,
  { days, from = 1, within }: { readonly days: number; readonly from?: number; readonly within: number },
): Promise<void> {
  for (let seed = from; seed < from + within; seed++)
    if ((await simulateSlots(engine, seed, { days, without })).broken.length > 0) return;
  expect.fail(`no run of ${within} noticed that the fence is missing: ${without}`);
}
