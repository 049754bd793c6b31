import { type ModelTrials, countTasks } from "./router-data.ts";
import type { MakeRoutePlayer } from "./router-players.ts";
import { makeRandom } from "../src/lib/random.ts";

/** A player's choices and their utility, by task. */
export interface PlayedTasks {
  readonly chosen: readonly number[];
  readonly utility: readonly number[];
}

export function playTrials(make: MakeRoutePlayer, trials: ModelTrials, lambda: number, seed: number): PlayedTasks {
  const player = make({ prices: trials.prices, lambda, random: makeRandom(seed) });
  const chosen: number[] = [];
  const utility: number[] = [];
  for (let task = 0; task < countTasks(trials); task++) {
    const model = player.choose(task);
    const [solved, cost] = [trials.solved[model]?.[task] ?? 0, trials.cost[model]?.[task] ?? 0];
    player.learn(model, solved, cost);
    chosen.push(model);
    utility.push(solved - lambda * cost);
  }
  return { chosen, utility };
}

export function meanOfSecondHalf(values: readonly number[]): number {
  const later = values.slice(Math.floor(values.length / 2));
  return later.reduce((sum, value) => sum + value, 0) / later.length;
}

export function meanOfFirstHalf(values: readonly number[]): number {
  const earlier = values.slice(0, Math.floor(values.length / 2));
  return earlier.reduce((sum, value) => sum + value, 0) / earlier.length;
}

/** The best single model in hindsight, by its mean over the second half of the tasks. */
export function findBestSingle(
  trials: ModelTrials,
  lambda: number,
): { readonly model: number; readonly utility: number } {
  const means = trials.prices.map((_, model) => meanOfSecondHalf(utilitiesOf(trials, model, lambda)));
  const utility = Math.max(...means);
  return { model: means.indexOf(utility), utility };
}

/** The utility with perfect foresight, one model for each task. */
export function playOracle(trials: ModelTrials, lambda: number): number {
  const all = trials.prices.map((_, model) => utilitiesOf(trials, model, lambda));
  return meanOfSecondHalf(
    Array.from({ length: countTasks(trials) }, (_, task) => Math.max(...all.map((one) => one[task] ?? 0))),
  );
}

function utilitiesOf(trials: ModelTrials, model: number, lambda: number): readonly number[] {
  return (trials.solved[model] ?? []).map((solved, task) => solved - lambda * (trials.cost[model]?.[task] ?? 0));
}
