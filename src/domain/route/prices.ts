import type { RoutePolicy } from "./policy.ts";

/** A model and the expected cost of one task; null if unknown. */
export interface RouteCandidate {
  readonly model: string;
  readonly price: number | null;
  /** The expected duration of a call; null if unknown. */
  readonly latencyMs?: number | null;
}

/** The prices used in estimates. An unknown price counts as the highest known one. */
export interface RoutePrices {
  readonly by: ReadonlyMap<string, number>;
  of(model: string): number;
  /** How much more or less quality is expected at this price than at the median price. */
  slope(model: string, policy: RoutePolicy): number;
}

export function resolvePrices(candidates: readonly RouteCandidate[]): RoutePrices {
  const known = candidates.flatMap(({ price }) => (price === null ? [] : [Math.max(0, price)])).sort((a, b) => a - b);
  const highest = known.at(-1) ?? 0;
  const by = new Map(candidates.map(({ model, price }) => [model, price === null ? highest : Math.max(0, price)]));
  const paid = [...by.values()].filter((price) => price > 0).sort((a, b) => a - b);
  const middle = paid[Math.floor(paid.length / 2)] ?? 1;
  const of = (model: string) => by.get(model) ?? highest;
  // A price of zero or near zero says no more about quality than one far from the median, so the ratio is clamped.
  const folds = new Map(
    [...by].map(([model, price]) => [model, Math.min(FAR, Math.max(-FAR, Math.log(price / middle)))]),
  );
  return { by, of, slope: (model, policy) => policy.priorSlope * (folds.get(model) ?? 0) };
}

/** A hundred times the median price, or a hundredth of it. */
const FAR = Math.log(100);
