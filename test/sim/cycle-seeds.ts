import { expect } from "vitest";
import { simulateCycles, type CyclesOptions, type CyclesRun } from "../../sim/cycles/cycles-scenario.ts";
import type { SimEngine } from "../../sim/queue/engines.ts";
import { formatStory } from "../../sim/queue/run-seeds.ts";

interface SeedRange {
  readonly from: number;
  readonly count: number;
}

/** Fails with the seed and the end of the story of the first run that broke a promise. Returns what came of all. */
export async function expectCyclesKept(
  engine: SimEngine,
  { from, count }: SeedRange,
  options: CyclesOptions,
): Promise<CyclesRun["counts"]> {
  const sums = { cycles: 0, lost: 0, done: 0, blocked: 0 };
  for (let seed = from; seed < from + count; seed++) {
    const run = await simulateCycles(engine, seed, options);
    if (run.broken.length > 0)
      expect.fail(
        `seed ${seed} on ${engine.name}: ${run.broken.slice(0, 5).join("; ")}\n${formatStory(run.story.slice(-200))}`,
      );
    for (const name of ["cycles", "lost", "done", "blocked"] as const) sums[name] += run.counts[name];
  }
  return sums;
}

/** The first seed whose run broke a promise; null if none did. */
export async function findBrokenSeed(
  engine: SimEngine,
  { from, count }: SeedRange,
  options: CyclesOptions,
): Promise<number | null> {
  for (let seed = from; seed < from + count; seed++)
    if ((await simulateCycles(engine, seed, options)).broken.length > 0) return seed;
  return null;
}
