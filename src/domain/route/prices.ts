import type { RoutePolicy } from "./policy.ts";

/** What one task is expected to cost with a model; null where nobody knows. */
export interface RouteCandidate {
  readonly model: string;
  readonly price: number | null;
  /** How long a call is expected to take; null where nobody knows. */
  readonly latencyMs?: number | null;
}

/** The prices that are counted with: what is not known counts as the highest known price. */
export interface RoutePrices {
  readonly by: ReadonlyMap<string, number>;
  of(model: string): number;
  /** How much more or less quality than of the middle price is expected for this one. */
  slope(model: string, policy: RoutePolicy): number;
}

export function resolvePrices(candidates: readonly RouteCandidate[]): RoutePrices {
  const known = candidates.flatMap(({ price }) => (price === null ? [] : [Math.max(0, price)])).sort((a, b) => a - b);
  const highest = known.at(-1) ?? 0;
  const by = new Map(candidates.map(({ model, price }) => [model, price === null ? highest : Math.max(0, price)]));
  const paid = [...by.values()].filter((price) => price > 0).sort((a, b) => a - b);
  const middle = paid[Math.floor(paid.length / 2)] ?? 1;
  const of = (model: string) => by.get(model) ?? highest;
  // A price of nothing, or of next to nothing, tells no more about quality than one far from the middle.
  const folds = new Map(
    [...by].map(([model, price]) => [model, Math.min(FAR, Math.max(-FAR, Math.log(price / middle)))]),
  );
  return { by, of, slope: (model, policy) => policy.priorSlope * (folds.get(model) ?? 0) };
}

/** A hundred times the middle price, or a hundredth of it. */
const FAR = Math.log(100);
