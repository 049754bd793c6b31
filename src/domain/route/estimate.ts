import type { RoutePolicy } from "./policy.ts";
import type { RoutePrices } from "./prices.ts";
import { type RouteAttempt, type Complexity, fadeTally, type Tally } from "./tally.ts";

/** The expected performance of a model at a task, with its uncertainty. */
export interface ModelEstimate {
  readonly quality: number;
  readonly qualityVariance: number;
  /** The number of outcomes behind it, without and with the prior. */
  readonly outcomes: number;
  readonly weight: number;
  /** How many of the outcomes are verified, not guessed. */
  readonly judged: number;
  readonly cost: number;
  /** The cost divided by the list price. */
  readonly costRatio: number;
  /** The variance of the expected cost. */
  readonly costVariance: number;
  /** Null if no call has been measured. */
  readonly latencyMs: number | null;
}

export interface TaskKind {
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly now: number;
}

/**
 * The posterior estimate. Quality: starts from what the price suggests, then is adjusted by the level of these tasks,
 * by the model's outcomes at other kinds of tasks, and by its outcomes at this kind. Cost: the listed price of this prompt,
 * times what its calls cost compared with theirs.
 */
export function estimateModels(
  tallies: readonly Tally[],
  prices: RoutePrices,
  kind: TaskKind,
  policy: RoutePolicy,
): ReadonlyMap<string, ModelEstimate> {
  const first = groupByTaskKind(tallies, prices, { kind, attempt: "first" }, policy);
  const here = first.get(taskKindName(kind));
  const level = estimateLevel(here ?? [], prices, policy);
  const excess = estimateExcess(first, prices, taskKindName(kind), policy);
  return new Map(
    [...prices.by.keys()].map((model) => {
      const tally = here?.find((one) => one.model === model);
      const expected = keepUnsure(level + prices.slope(model, policy) + (excess.get(model) ?? 0));
      return [model, newEstimate(expected, tally, { price: prices.of(model), costRatio: 1 }, policy)];
    }),
  );
}

/**
 * The same for a task that another model failed: the expected quality is lower, by a factor learned over all models.
 */
export function estimateAfterFailure(
  tallies: readonly Tally[],
  first: ReadonlyMap<string, ModelEstimate>,
  { prices, kind }: { readonly prices: RoutePrices; readonly kind: TaskKind },
  policy: RoutePolicy,
): ReadonlyMap<string, ModelEstimate> {
  const here = groupByTaskKind(tallies, prices, { kind, attempt: "later" }, policy).get(taskKindName(kind)) ?? [];
  let expected = policy.levelWeight;
  let reached = policy.levelWeight * policy.afterFailure;
  for (const tally of here) {
    expected += tally.outcomes * (first.get(tally.model)?.quality ?? 0);
    reached += tally.quality;
  }
  return new Map(
    [...first].map(([model, estimate]) => {
      const tally = here.find((one) => one.model === model);
      const before = { price: prices.of(model), costRatio: estimate.costRatio };
      const after = newEstimate(keepUnsure((estimate.quality * reached) / expected), tally, before, policy);
      return [model, { ...after, latencyMs: after.latencyMs ?? estimate.latencyMs }];
    }),
  );
}

function newEstimate(
  expected: number,
  tally: Tally | undefined,
  before: { readonly price: number; readonly costRatio: number },
  policy: RoutePolicy,
): ModelEstimate {
  const { outcomes = 0, quality = 0, judged = 0, calls = 0, latencyMs = 0 } = tally ?? {};
  const weight = policy.priorWeight + outcomes;
  const mean = (policy.priorWeight * expected + quality) / weight;
  const costRatio = (policy.priceWeight * before.costRatio + (tally?.costRatio ?? 0)) / (policy.priceWeight + calls);
  const meanCost = before.price * costRatio;
  return {
    quality: mean,
    qualityVariance: (mean * (1 - mean)) / (weight + 1),
    outcomes,
    weight,
    judged,
    cost: meanCost,
    costRatio,
    // The standard deviation of a call's cost is about its mean.
    costVariance: meanCost ** 2 / (policy.priceWeight + calls),
    latencyMs: calls > 0 ? latencyMs / calls : null,
  };
}

/** How good the models are at these tasks, relative to what their prices suggest. */
function estimateLevel(cell: readonly Tally[], prices: RoutePrices, policy: RoutePolicy): number {
  let weight = policy.levelWeight;
  let sum = policy.levelWeight * policy.priorQuality;
  for (const tally of cell) {
    if (tally.outcomes <= 0) continue;
    const share = tally.outcomes / (tally.outcomes + policy.priorWeight);
    weight += share;
    sum += share * (tally.quality / tally.outcomes - prices.slope(tally.model, policy));
  }
  return sum / weight;
}

/** By how much a model did better than expected at other kinds of tasks, shrunk if there is little evidence. */
function estimateExcess(
  cells: ReadonlyMap<string, readonly Tally[]>,
  prices: RoutePrices,
  here: string,
  policy: RoutePolicy,
): ReadonlyMap<string, number> {
  const sums = new Map<string, { weight: number; sum: number }>();
  for (const [name, cell] of cells) {
    if (name === here) continue;
    const level = estimateLevel(cell, prices, policy);
    for (const tally of cell) {
      if (tally.outcomes <= 0) continue;
      const weight = Math.min(tally.outcomes, policy.borrowedWeight);
      const off = tally.quality / tally.outcomes - level - prices.slope(tally.model, policy);
      const before = sums.get(tally.model) ?? { weight: 0, sum: 0 };
      sums.set(tally.model, { weight: before.weight + weight, sum: before.sum + weight * off });
    }
  }
  return new Map([...sums].map(([model, { weight, sum }]) => [model, sum / (weight + policy.priorWeight)]));
}

/** The tallies of one attempt by kind of task, faded to now, without models that are not candidates. */
function groupByTaskKind(
  tallies: readonly Tally[],
  prices: RoutePrices,
  { kind, attempt }: { readonly kind: TaskKind; readonly attempt: RouteAttempt },
  policy: RoutePolicy,
): ReadonlyMap<string, readonly Tally[]> {
  const cells = new Map<string, Tally[]>();
  for (const tally of tallies) {
    if (tally.attempt !== attempt || !prices.by.has(tally.model)) continue;
    const name = taskKindName(tally);
    const cell = cells.get(name);
    const faded = fadeTally(tally, kind.now, policy);
    if (cell) cell.push(faded);
    else cells.set(name, [faded]);
  }
  return cells;
}

function taskKindName({ taskType, complexity }: Pick<TaskKind, "taskType" | "complexity">): string {
  return `${complexity} ${taskType}`;
}

/** Nothing is certain before it was observed. */
function keepUnsure(quality: number): number {
  return Math.min(0.95, Math.max(0.05, quality));
}
