import type { RoutePolicy } from "../src/domain/route/policy.ts";
import { makeRandom, type Random } from "../src/lib/random.ts";
import { countTasks, type ModelTrials, reorderTrials } from "./router-data.ts";
import { findBestSingle, playTrials } from "./router-play.ts";
import { newRouter } from "./router-players.ts";

/** The number of tasks after which the router must have left the degraded model. */
const PATIENCE = 40;

export interface Degraded {
  readonly lambda: number;
  /** Share of choices of the model: just before it degrades, and after PATIENCE further tasks. */
  readonly before: number;
  readonly after: number;
}

/**
 * Halfway, one model degrades and keeps only a share of its successes: the best single model, or the one that the
 * router chose most until then.
 */
export function measureDegrading(
  trials: ModelTrials,
  lambdas: readonly number[],
  { policy, which, keeps, orders }: { policy: RoutePolicy; which: "best" | "favourite"; keeps: number; orders: number },
): readonly Degraded[] {
  return lambdas.map((lambda) => {
    let [before, after] = [0, 0];
    for (let order = 0; order < orders; order++) {
      const random = makeRandom(900 + order);
      const game = reorderTrials(trials, random);
      const half = Math.floor(countTasks(game) / 2);
      const recent = playTrials(newRouter(policy), game, lambda, order).chosen.slice(half - PATIENCE, half);
      const model = which === "best" ? findBestSingle(game, lambda).model : mostFrequent(recent);
      const worse = degrade(game, { model, from: half, keeps }, random);
      const { chosen } = playTrials(newRouter(policy), worse, lambda, order);
      before += shareOf(model, chosen.slice(half - PATIENCE, half)) / orders;
      after += shareOf(model, chosen.slice(half + PATIENCE)) / orders;
    }
    return { lambda, before, after };
  });
}

function degrade(
  trials: ModelTrials,
  { model, from, keeps }: { model: number; from: number; keeps: number },
  random: Random,
): ModelTrials {
  const solved = trials.solved.map((row, at) =>
    at === model ? row.map((one, task) => (task >= from && random() >= keeps ? 0 : one)) : row,
  );
  return { ...trials, solved };
}

function mostFrequent(chosen: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const model of chosen) counts.set(model, (counts.get(model) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])[0];
}

function shareOf(model: number, chosen: readonly number[]): number {
  return chosen.filter((one) => one === model).length / chosen.length;
}
