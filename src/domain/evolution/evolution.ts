import type { Complexity } from "../route/tally.ts";
import { compareMeans, medianOf, testRise } from "./statistics.ts";

/** A call in the router's log, with its cost and quality. */
export interface LoggedCall {
  readonly agent: string;
  readonly taskType: string;
  readonly complexity: Complexity;
  /** `provider/model`. */
  readonly model: string;
  readonly at: number;
  readonly cost: number;
  /** From a check or a person; null if nobody judged it. Guesses do not count here. */
  readonly quality: number | null;
}

export interface EvolutionPolicy {
  /** The probability of a proposal although nothing changed, over all tests of one run. */
  readonly error: number;
  /** The fewest calls on each side of a trend, and outcomes of each model in a comparison. */
  readonly minCalls: number;
  /** Models are compared each time a kind of task has this many more calls. */
  readonly compareAfter: number;
  /** A smaller rise of the median cost, as a share, is no reason to change. */
  readonly costRise: number;
  /** Quality counts as unchanged if the 90 % interval of its change lies within ± this. A fall of less than half of it is no reason to change. */
  readonly flatWithin: number;
}

export const evolutionPolicy: EvolutionPolicy = {
  error: 0.05,
  minCalls: 30,
  compareAfter: 100,
  costRise: 0.1,
  flatWithin: 0.1,
};

export type EvolutionKind = "cheaper" | "stronger" | "better";

/** Use `to` instead of `from` for this kind of task. */
export interface EvolutionProposal {
  readonly kind: EvolutionKind;
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly from: string;
  readonly to: string;
  /** How many outcomes `to` has at this kind of task; fewer than `minCalls`: it is untried. */
  readonly outcomes: number;
  /** The p-value of the test, and the level that it had to be below. */
  readonly p: number;
  readonly level: number;
  readonly why: string;
}

export interface EvolutionInput {
  readonly calls: readonly LoggedCall[];
  /** The models in use, each with the cost of one task. */
  readonly models: readonly { readonly model: string; readonly price: number }[];
  readonly costWeight: (complexity: Complexity) => number;
}

/** Tests trends and compares models for each kind of task, over all agents. Makes at most one proposal for each kind of task. */
export function proposeEvolution(
  { calls, models, costWeight }: EvolutionInput,
  policy: EvolutionPolicy,
): readonly EvolutionProposal[] {
  const kinds = groupByKind(calls);
  // Every kind of task is tested three times, and all tests share the error (Bonferroni).
  const level = policy.error / Math.max(1, 3 * kinds.length);
  return kinds.flatMap((kind) => {
    const { complexity } = kind[0] as LoggedCall;
    const found =
      findFall(kind, models, policy, level) ??
      findBetter(kind, { models, weight: costWeight(complexity) }, policy, level) ??
      findRise(kind, models, policy, level);
    return found === null ? [] : [found];
  });
}

type Prices = EvolutionInput["models"];

/** Quality down: a stronger model. Welch's t-test on the earlier and the later half of the outcomes of the model in use. */
function findFall(
  calls: readonly LoggedCall[],
  models: Prices,
  policy: EvolutionPolicy,
  level: number,
): EvolutionProposal | null {
  const from = modelInUse(calls, policy);
  const [earlier, later] = halves(listJudged(calls, from));
  if (earlier.length < policy.minCalls) return null;
  const change = compareMeans(earlier.map(qualityOf), later.map(qualityOf));
  if (change === null || change.lower >= level || -change.difference < policy.flatWithin / 2) return null;
  const now = mean(later.map(qualityOf));
  const found = findSuccessor(
    calls,
    { from, models, direction: "stronger", quality: now + policy.flatWithin / 2 },
    policy,
  );
  if (found === null) return null;
  const why = `the quality of ${from} fell from ${digits(mean(earlier.map(qualityOf)))} to ${digits(now)} over ${earlier.length + later.length} outcomes (Welch's t-test, p ${formatP(change.lower)}); ${found.why}`;
  return {
    ...kindOf(calls),
    kind: "stronger",
    from,
    to: found.model,
    outcomes: found.outcomes,
    p: change.lower,
    level,
    why,
  };
}

/**
 * Cost up and quality flat: a cheaper model. Rank-sum test on the costs of the earlier and the later half of the calls of the
 * model in use; flat means that the 90 % interval of the change of quality lies within the bound (two one-sided t-tests).
 */
function findRise(
  calls: readonly LoggedCall[],
  models: Prices,
  policy: EvolutionPolicy,
  level: number,
): EvolutionProposal | null {
  const from = modelInUse(calls, policy);
  const own = calls.filter(({ model }) => model === from);
  const [earlier, later] = halves(own);
  if (earlier.length < policy.minCalls) return null;
  const costs = [earlier.map(({ cost }) => cost), later.map(({ cost }) => cost)] as const;
  const [before, after] = [medianOf(costs[0]), medianOf(costs[1])];
  const p = testRise(costs[0], costs[1]);
  if (p >= level || after <= before * (1 + policy.costRise)) return null;
  const [known, knownLater] = [listJudged(earlier, from), listJudged(later, from)];
  const change = compareMeans(known.map(qualityOf), knownLater.map(qualityOf));
  if (change === null || change.interval[0] < -policy.flatWithin || change.interval[1] > policy.flatWithin) return null;
  const quality = mean(knownLater.map(qualityOf)) - policy.flatWithin / 2;
  const found = findSuccessor(calls, { from, models, direction: "cheaper", quality }, policy);
  if (found === null) return null;
  const why = `the median cost of ${from} rose from ${money(before)} to ${money(after)} over ${own.length} calls (rank-sum test, p ${formatP(p)}) while quality changed by ${digits(change.difference)} (90 % interval ${digits(change.interval[0])} to ${digits(change.interval[1])}); ${found.why}`;
  return { ...kindOf(calls), kind: "cheaper", from, to: found.model, outcomes: found.outcomes, p, level, why };
}

/** After every hundred calls: the model in use against each other one, by Welch's t-test on quality minus weighted cost. */
function findBetter(
  calls: readonly LoggedCall[],
  { models, weight }: { readonly models: Prices; readonly weight: number },
  policy: EvolutionPolicy,
  level: number,
): EvolutionProposal | null {
  // Uses only whole hundreds, so that running it often does not find differences by chance.
  const whole = calls.slice(0, Math.floor(calls.length / policy.compareAfter) * policy.compareAfter);
  if (whole.length === 0) return null;
  const control = modelInUse(calls, policy);
  const utilities = (model: string) => listJudged(whole, model).map((call) => qualityOf(call) - weight * call.cost);
  const controls = utilities(control);
  const others = models
    .filter(({ model }) => model !== control)
    .map(({ model }) => ({ model, values: utilities(model) }));
  const compared = others.filter(({ values }) => values.length >= policy.minCalls);
  if (controls.length < policy.minCalls || compared.length === 0) return null;
  const best = compared
    .map(({ model, values }) => ({ model, values, change: compareMeans(controls, values) }))
    .toSorted((a, b) => (a.change?.higher ?? 1) - (b.change?.higher ?? 1))[0];
  const p = best?.change?.higher ?? 1;
  if (best === undefined || p >= level / compared.length) return null;
  const why = `${best.model} came to ${digits(mean(best.values))} over ${best.values.length} outcomes, ${control} to ${digits(mean(controls))} over ${controls.length}, in quality minus weighted cost (Welch's t-test, p ${formatP(p)})`;
  const outcomes = best.values.length;
  return {
    ...kindOf(calls),
    kind: "better",
    from: control,
    to: best.model,
    outcomes,
    p,
    level: level / compared.length,
    why,
  };
}

interface Successor {
  readonly model: string;
  readonly outcomes: number;
  /** What is known about it, as the end of a sentence. */
  readonly why: string;
}

/**
 * The model to use instead. A model that has shown at least this quality in its last outcomes goes first. Otherwise the one
 * with the nearest price that is untried; a model that has shown less is never proposed.
 */
function findSuccessor(
  calls: readonly LoggedCall[],
  {
    from,
    models,
    direction,
    quality,
  }: {
    readonly from: string;
    readonly models: Prices;
    readonly direction: "cheaper" | "stronger";
    readonly quality: number;
  },
  policy: EvolutionPolicy,
): Successor | null {
  const price = models.find((one) => one.model === from)?.price;
  if (price === undefined) return null;
  const known = models
    .filter((one) => one.model !== from && (direction === "stronger" || one.price < price))
    .map((one) => {
      const values = listJudged(calls, one.model).map(qualityOf);
      return { ...one, values, recent: mean(values.slice(-policy.minCalls)) };
    });
  const isTried = ({ values }: { readonly values: readonly number[] }) => values.length >= policy.minCalls;
  const [proven] = known
    .filter((one) => isTried(one) && one.recent >= quality)
    .toSorted((a, b) => b.recent - a.recent || a.price - b.price);
  if (proven !== undefined)
    return {
      model: proven.model,
      outcomes: proven.values.length,
      why: `${proven.model} has quality ${digits(proven.recent)} over its last ${policy.minCalls} outcomes`,
    };
  const [untried] = known
    .filter((one) => !isTried(one) && (direction === "cheaper" || one.price > price))
    .toSorted((a, b) => Math.abs(a.price - price) - Math.abs(b.price - price));
  if (untried === undefined) return null;
  const { model, values } = untried;
  const some = values.length === 1 ? "only 1 outcome" : `only ${values.length} outcomes`;
  const why = `${model} is untried: it has ${values.length === 0 ? "no outcome" : some} at these tasks, and is chosen by its price alone`;
  return { model, outcomes: values.length, why };
}

function groupByKind(calls: readonly LoggedCall[]): readonly (readonly LoggedCall[])[] {
  const kinds = new Map<string, LoggedCall[]>();
  for (const call of calls.toSorted((a, b) => a.at - b.at)) {
    const name = `${call.complexity} ${call.taskType}`;
    const kind = kinds.get(name);
    if (kind) kind.push(call);
    else kinds.set(name, [call]);
  }
  return [...kinds.values()];
}

function halves(calls: readonly LoggedCall[]): readonly [readonly LoggedCall[], readonly LoggedCall[]] {
  const middle = Math.floor(calls.length / 2);
  return [calls.slice(0, middle), calls.slice(middle)];
}

/** The model that does these tasks now: the most used one of the last calls. */
function modelInUse(calls: readonly LoggedCall[], { minCalls }: EvolutionPolicy): string {
  const counts = new Map<string, number>();
  for (const { model } of calls.slice(-minCalls)) counts.set(model, (counts.get(model) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? "";
}

/** The calls of one model whose outcome is known. */
function listJudged(calls: readonly LoggedCall[], model: string): readonly LoggedCall[] {
  return calls.filter((call) => call.model === model && call.quality !== null);
}

function kindOf(calls: readonly LoggedCall[]): Pick<LoggedCall, "taskType" | "complexity"> {
  const { taskType, complexity } = calls[0] as LoggedCall;
  return { taskType, complexity };
}

function qualityOf({ quality }: LoggedCall): number {
  return quality ?? 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function digits(value: number): string {
  return String(Number(value.toFixed(3)));
}

function money(value: number): string {
  return `$${Number(value.toPrecision(3))}`;
}

function formatP(p: number): string {
  return p < 0.0001 ? "below 0.0001" : String(Number(p.toPrecision(2)));
}
