import { chooseRoute } from "../src/domain/route/choose.ts";
import type { RoutePolicy } from "../src/domain/route/policy.ts";
import { addCall, addOutcome, newTally, type Tally, toCostRatio } from "../src/domain/route/tally.ts";
import type { Random } from "../src/lib/random.ts";

/** Chooses a model for each task, and learns the result of that choice only. */
export interface RoutePlayer {
  choose(task: number): number;
  learn(model: number, solved: number, cost: number): void;
}

export type MakeRoutePlayer = (game: {
  readonly prices: readonly number[];
  readonly lambda: number;
  readonly random: Random;
}) => RoutePlayer;

/** A constant time: nothing expires by age, only by later calls. */
const now = 0;

export function newRouter(policy: RoutePolicy): MakeRoutePlayer {
  return ({ prices, lambda }) => {
    const names = prices.map((_, at) => `model ${at}`);
    const candidates = names.map((model, at) => ({ model, price: prices[at] ?? null }));
    const tallies: Tally[] = names.map((model) =>
      newTally({ taskType: "code", complexity: "complex", model, attempt: "first" }, 0),
    );
    let explored = false;
    return {
      choose: () => {
        const kind = { taskType: "code", complexity: "complex" } as const;
        const route = chooseRoute({ ...kind, candidates, tallies, now, costWeight: lambda }, policy);
        explored = route.explored;
        return names.indexOf(route.model ?? "");
      },
      learn: (model, solved, cost) => {
        const called = addCall(
          tallies[model] as Tally,
          { cost, costRatio: toCostRatio(cost, prices[model]), latencyMs: 0, explored, at: now },
          policy,
        );
        tallies[model] = addOutcome(called, { quality: solved, verified: true, at: now }, policy);
      },
    };
  };
}

/** UCB1 on the utility: each model once, then the highest mean plus bonus. */
export const newUcb: MakeRoutePlayer = ({ prices, lambda }) => {
  const seen = prices.map(() => ({ tries: 0, sum: 0 }));
  return {
    choose: (task) => {
      const fresh = seen.findIndex((one) => one.tries === 0);
      if (fresh >= 0) return fresh;
      return highest(seen.map(({ tries, sum }) => sum / tries + Math.sqrt((2 * Math.log(task + 1)) / tries)));
    },
    learn: (model, solved, cost) => {
      const one = seen[model];
      if (one) Object.assign(one, { tries: one.tries + 1, sum: one.sum + solved - lambda * cost });
    },
  };
};

/** Plain Thompson sampling: uniform prior on quality; the expected cost is the price until a cost was observed. */
export const newThompson: MakeRoutePlayer = ({ prices, lambda, random }) => {
  const seen = prices.map(() => ({ tries: 0, solved: 0, cost: 0 }));
  return {
    choose: () =>
      highest(
        seen.map(({ tries, solved, cost }, at) => {
          const expected = tries > 0 ? cost / tries : (prices[at] ?? 0);
          return drawBeta(1 + solved, 1 + tries - solved, random) - lambda * expected;
        }),
      ),
    learn: (model, solved, cost) => {
      const one = seen[model];
      if (one) Object.assign(one, { tries: one.tries + 1, solved: one.solved + solved, cost: one.cost + cost });
    },
  };
};

/** The `inTurn` cheapest models in turn. */
export function newCheapest(inTurn: number): MakeRoutePlayer {
  return ({ prices }) => {
    const order = prices.map((_, at) => at).toSorted((a, b) => (prices[a] ?? 0) - (prices[b] ?? 0));
    return { choose: (task) => order[task % inTurn] ?? 0, learn: () => {} };
  };
}

function highest(values: readonly number[]): number {
  return values.reduce((best, value, at) => (value > (values[best] ?? 0) ? at : best), 0);
}

/** Draws from a Beta distribution by two gamma draws; `a` and `b` must be whole numbers. */
function drawBeta(a: number, b: number, random: Random): number {
  const [x, y] = [drawGamma(a, random), drawGamma(b, random)];
  return x / (x + y);
}

function drawGamma(whole: number, random: Random): number {
  let product = 0;
  for (let n = 0; n < whole; n++) product -= Math.log(1 - random());
  return product;
}
