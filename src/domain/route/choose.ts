import { type ModelEstimate, estimateModels, estimateAfterFailure } from "./estimate.ts";
import type { RoutePolicy } from "./policy.ts";
import { selectPool } from "./pool.ts";
import { type RouteCandidate, type RoutePrices, resolvePrices } from "./prices.ts";
import type { RouteAttempt, Complexity, Tally } from "./tally.ts";
import { worthOfTrying } from "./worth.ts";

/** Everything that a choice depends on. Deterministic: the same request gives the same route. */
export interface RouteRequest {
  readonly taskType: string;
  readonly complexity: Complexity;
  readonly candidates: readonly RouteCandidate[];
  readonly tallies: readonly Tally[];
  readonly now: number;
  /** How much quality one unit of money is worth, and one second. */
  readonly costWeight: number;
  readonly secondWeight?: number;
  /** The session's current model, and the money lost by leaving it, because the prompt cache is lost. */
  readonly session?: { readonly model: string; readonly switchCost: number };
  /** How much more than the best choice an exploring one may cost; unlimited if undefined. */
  readonly exploreMoney?: number;
  /** True if a check will detect a failure, so that another model can follow. */
  readonly checked?: boolean;
  /** Goes first among models of the same score. */
  readonly default?: string;
  /** Why there is only one candidate, for the explanation. */
  readonly onlyBecause?: string;
  /** The models that failed this task, according to a check. */
  readonly failed?: readonly string[];
}

/** One candidate with its estimates. */
export interface WeighedModel {
  readonly model: string;
  readonly price: number;
  readonly priceKnown: boolean;
  readonly quality: number;
  /** The 90 % interval of the quality. */
  readonly low: number;
  readonly high: number;
  readonly outcomes: number;
  /** How many of the outcomes are verified, not guessed. */
  readonly judged: number;
  readonly cost: number;
  readonly latencyMs: number | null;
  readonly switchCost: number;
  /** The expected gain from models that can follow after a failure. */
  readonly rescue: number;
  readonly utility: number;
  /** The variance of the utility, and the number of outcomes behind it, including the prior. */
  readonly variance: number;
  readonly weight: number;
  readonly inPool: boolean;
  /** The expected value of what is learned by trying it; 0 outside the pool. */
  readonly worth: number;
}

export interface Route {
  /** Null if no model is left, or if each one left costs more than its expected benefit. */
  readonly model: string | null;
  readonly attempt: RouteAttempt;
  readonly explored: boolean;
  /** The model with the highest utility in the pool, which is chosen when not exploring. */
  readonly best: string | null;
  /** How many more choices may explore. */
  readonly exploreLeft: number;
  readonly weighed: readonly WeighedModel[];
}

export function chooseRoute(request: RouteRequest, policy: RoutePolicy): Route {
  const failed = new Set(request.failed);
  const attempt = failed.size > 0 ? "later" : "first";
  const prices = resolvePrices(request.candidates);
  const first = estimateModels(request.tallies, prices, request, policy);
  const later =
    attempt === "later" || request.checked === true
      ? estimateAfterFailure(request.tallies, first, { prices, kind: request }, policy)
      : null;
  const estimates = attempt === "later" && later ? later : first;
  const open = request.candidates.filter(({ model }) => !failed.has(model));
  const plain = open.map((one) =>
    withUtility(one, { request, prices, estimate: estimates.get(one.model) as ModelEstimate }),
  );
  const rescued = attempt === "first" && later ? plain.map((one) => withRescue(one, plain, later, request)) : plain;
  const cheapFirst = attempt === "first" && request.checked === true;
  const pool = selectPool(rescued, { costWeight: request.costWeight, cheapFirst }, policy);
  return pick(request, { attempt, weighed: rescued, pool }, policy);
}

function pick(
  request: RouteRequest,
  {
    attempt,
    weighed,
    pool,
  }: { attempt: RouteAttempt; weighed: readonly WeighedModel[]; pool: ReadonlySet<WeighedModel> },
  policy: RoutePolicy,
): Route {
  const ranked = weighed
    .filter((one) => pool.has(one) || one.model === request.session?.model)
    .sort(byUtility(request));
  const left = exploreLeft(request, attempt, policy);
  const [best, second = best] = ranked;
  if (!best || !second) return { model: null, attempt, explored: false, best: null, exploreLeft: left, weighed: [] };
  const mostMoney = best.cost + (request.exploreMoney ?? Number.POSITIVE_INFINITY);
  const inPool = ranked.map((one): WeighedModel => {
    const behind = one === best ? best.utility - second.utility : best.utility - one.utility;
    return { ...one, inPool: true, worth: worthOfTrying({ ...one, behind }, policy) };
  });
  let chosen = inPool[0] as WeighedModel;
  for (const one of left >= 1 ? inPool : [])
    if (one.cost <= mostMoney && one.utility + one.worth > chosen.utility + chosen.worth) chosen = one;
  const gainful = attempt === "first" || best.utility > 0;
  return {
    model: gainful ? chosen.model : null,
    attempt,
    explored: gainful && chosen.model !== best.model,
    best: best.model,
    exploreLeft: left,
    weighed: [...inPool, ...weighed.filter((one) => !ranked.includes(one)).sort(byUtility(request))],
  };
}

function withUtility(
  { model, price, latencyMs = null }: RouteCandidate,
  { request, prices, estimate }: { request: RouteRequest; prices: RoutePrices; estimate: ModelEstimate },
): WeighedModel {
  const { session, costWeight, secondWeight = 0 } = request;
  const switchCost = session && session.model !== model ? session.switchCost : 0;
  const latency = estimate.latencyMs ?? latencyMs;
  const deviation = Math.sqrt(estimate.qualityVariance);
  return {
    model,
    price: prices.of(model),
    priceKnown: price !== null,
    quality: estimate.quality,
    low: Math.max(0, estimate.quality - NINE_OF_TEN * deviation),
    high: Math.min(1, estimate.quality + NINE_OF_TEN * deviation),
    outcomes: estimate.outcomes,
    judged: estimate.judged,
    cost: estimate.cost,
    latencyMs: latency,
    switchCost,
    rescue: 0,
    utility: estimate.quality - costWeight * (estimate.cost + switchCost) - (secondWeight * (latency ?? 0)) / 1_000,
    variance: estimate.qualityVariance + costWeight ** 2 * estimate.costVariance,
    weight: estimate.weight,
    inPool: false,
    worth: 0,
  };
}

/** Adds the expected gain of the best other model after a failure, if it is worth its cost. */
function withRescue(
  one: WeighedModel,
  all: readonly WeighedModel[],
  later: ReadonlyMap<string, ModelEstimate>,
  request: RouteRequest,
): WeighedModel {
  let gain = 0;
  for (const { model } of all) {
    const estimate = model === one.model ? undefined : later.get(model);
    if (estimate) gain = Math.max(gain, estimate.quality - request.costWeight * estimate.cost);
  }
  const rescue = (1 - one.quality) * gain;
  return { ...one, rescue, utility: one.utility + rescue };
}

function exploreLeft(request: RouteRequest, attempt: RouteAttempt, policy: RoutePolicy): number {
  let tries = 0;
  let explored = 0;
  for (const tally of request.tallies) {
    if (tally.attempt !== attempt || tally.taskType !== request.taskType) continue;
    if (tally.complexity !== request.complexity) continue;
    tries += tally.tries;
    explored += tally.explored;
  }
  return Math.max(0, policy.exploreFirst + policy.exploreShare * tries - explored);
}

/** Highest first; of equal ones the default model, then by price, then by name, so that the order of the candidates does not matter. */
function byUtility({ default: standard }: RouteRequest): (a: WeighedModel, b: WeighedModel) => number {
  return (a, b) =>
    b.utility - a.utility ||
    Number(b.model === standard) - Number(a.model === standard) ||
    a.price - b.price ||
    (a.model < b.model ? -1 : 1);
}

const NINE_OF_TEN = 1.645;
