import type { RoutePolicy } from "./policy.ts";

/** What decides who is in the pool. */
export interface PoolMember {
  readonly model: string;
  readonly price: number;
  readonly utility: number;
  /** Outcomes behind the utility, without and with the prior. */
  readonly outcomes: number;
  readonly weight: number;
}

/**
 * A small pool learns fast. It holds the most expensive models that are still affordable, because the price is all that is known of a
 * new model's quality. Where a check follows, a cheap failure costs little, so it holds the cheapest ones. A model outside
 * enters when it looks clearly better than the whole pool, that is, when the pool has disappointed. The more outcomes it has
 * itself, the less clearly.
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
