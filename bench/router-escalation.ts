import { chooseRoute } from "../src/domain/route/choose.ts";
import type { RoutePolicy } from "../src/domain/route/policy.ts";
import { addCall, addOutcome, newTally, type Tally, toCostRatio } from "../src/domain/route/tally.ts";
import { type ModelTrials, countTasks } from "./router-data.ts";

/** A constant time: nothing expires by age, only by later calls. */
const at = 0;

const kind = { taskType: "code", complexity: "complex" } as const;

/**
 * The utility of each task if a check detects failures, and other models are tried until one succeeds or none is worth
 * it.
 */
export function playEscalating(
  trials: ModelTrials,
  lambda: number,
  { policy, attempts }: { readonly policy: RoutePolicy; readonly attempts: number },
): readonly number[] {
  const names = trials.prices.map((_, at) => `model ${at}`);
  const candidates = names.map((model, at) => ({ model, price: trials.prices[at] ?? null }));
  const tallies = new Map<string, Tally>();
  return Array.from({ length: countTasks(trials) }, (_, task) => {
    const failed: string[] = [];
    let spent = 0;
    while (failed.length < attempts) {
      const route = chooseRoute(
        { ...kind, candidates, tallies: [...tallies.values()], now: at, costWeight: lambda, checked: true, failed },
        policy,
      );
      if (route.model === null) break;
      const model = names.indexOf(route.model);
      const [solved, cost] = [trials.solved[model]?.[task] ?? 0, trials.cost[model]?.[task] ?? 0];
      const key = `${route.attempt} ${route.model}`;
      const before = tallies.get(key) ?? newTally({ ...kind, model: route.model, attempt: route.attempt }, at);
      const called = addCall(
        before,
        { cost, costRatio: toCostRatio(cost, trials.prices[model]), latencyMs: 0, explored: route.explored, at },
        policy,
      );
      tallies.set(key, addOutcome(called, { quality: solved, verified: true, at }, policy));
      spent += cost;
      if (solved > 0) return solved - lambda * spent;
      failed.push(route.model);
    }
    return -lambda * spent;
  });
}

/** The same with a fixed order of models. */
export function playInOrder(trials: ModelTrials, lambda: number, models: readonly number[]): readonly number[] {
  return Array.from({ length: countTasks(trials) }, (_, task) => {
    let spent = 0;
    for (const model of models) {
      spent += trials.cost[model]?.[task] ?? 0;
      if (trials.solved[model]?.[task] === 1) return 1 - lambda * spent;
    }
    return -lambda * spent;
  });
}

export function sortByPrice(trials: ModelTrials): readonly number[] {
  return trials.prices.map((_, at) => at).toSorted((a, b) => (trials.prices[a] ?? 0) - (trials.prices[b] ?? 0));
}
