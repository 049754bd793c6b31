import type { StoryLine } from "../core/simulation.ts";
import type { SimEngine } from "./engines.ts";
import { type QueueRun, simulateQueue } from "./queue-scenario.ts";
import type { Fence } from "./without-fence.ts";

export interface SeedsReport {
  readonly engine: SimEngine["name"];
  readonly seeds: number;
  readonly steps: number;
  /** The first run that broke a promise. */
  readonly failed: QueueRun | null;
}

/** Runs seed after seed, until one breaks a promise. */
export async function runSeeds(
  engine: SimEngine,
  range: { readonly from: number; readonly count: number },
  options: { readonly without?: Fence | undefined } = {},
): Promise<SeedsReport> {
  let steps = 0;
  for (let n = 0; n < range.count; n++) {
    const run = await simulateQueue(engine, range.from + n, options);
    steps += run.steps;
    if (run.broken.length > 0) return { engine: engine.name, seeds: n + 1, steps, failed: run };
  }
  return { engine: engine.name, seeds: range.count, steps, failed: null };
}

/** What a person needs to see the failure again. */
export function describeBroken(engine: SimEngine["name"], { seed, broken }: QueueRun): string {
  return `seed ${seed}: ${broken.join("; ")}\nreplay it: oldhand sim --engine ${engine} --seed ${seed}`;
}

export function formatStory(story: readonly StoryLine[]): string {
  const widest = Math.max(0, ...story.map(({ who }) => who.length));
  return story
    .map(({ at, who, what }) => `${(at / 1_000).toFixed(3).padStart(9)}  ${who.padEnd(widest)}  ${what}\n`)
    .join("");
}
