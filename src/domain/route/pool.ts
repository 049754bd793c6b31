import type { RoutePolicy } from "./policy.ts";

/** What decides about membership in the pool. */
export interface PoolMember {
  readonly model: string;
  readonly price: number;
  readonly utility: number;
  /** The number of outcomes behind the utility, without and with the prior. */
  readonly outcomes: number;
  readonly weight: number;
}

/**
 * Selects a small pool, because it learns fast. It contains the most expensive affordable models, because price is all
 * that is known about a new model's quality. If a check follows, a cheap failure costs little, so it contains the
 * cheapest ones. A model outside enters if it looks clearly better than the whole pool; with more outcomes of its own,
 * a smaller lead suffices.
 */
export function selectPool<One extends PoolMember>(
  members: readonly One[],
  { costWeight, cheapFirst }: { readonly costWeight: number; readonly cheapFirst: boolean },
  policy: RoutePolicy,
): ReadonlySet<One> {
  const cheapest = Math.min(...members.map((one) => one.price));
  const affordable = members
    .filter((one) => costWeight * (one.price - cheapest) <= policy.priceGate)
    .sort((a, b) => (cheapFirst ? a.price - b.price : b.price - a.price) || (a.model < b.model ? -1 : 1))
    .slice(0, policy.poolSize);
  const best = Math.max(...affordable.map((one) => one.utility));
  const leadOf = (one: One) => (policy.lead * (one.weight - one.outcomes)) / one.weight;
  return new Set([...affordable, ...members.filter((one) => one.utility > best + leadOf(one))]);
}
