import type { RoutePolicy } from "./policy.ts";

/**
 * What trying a model once is worth beyond the task itself. After some more outcomes the estimate about it has moved, and may
 * have changed which model is best; the gain of that, over the tasks to come, is shared among the tries that it took.
 */
export function worthOfTrying(
  { behind, variance, weight }: { readonly behind: number; readonly variance: number; readonly weight: number },
  policy: RoutePolicy,
): number {
  const moves = Math.sqrt((variance * policy.lookahead) / (weight + policy.lookahead));
  return (expectedGain(behind, moves) * policy.foresight) / policy.lookahead;
}

/** The mean of what a normal number with this deviation has above a bar so far from its own mean. */
export function expectedGain(bar: number, deviation: number): number {
  if (deviation <= 0) return Math.max(0, -bar);
  const z = bar / deviation;
  return Math.max(0, deviation * Math.exp((-z * z) / 2) * ROOT - bar * above(z));
}

/** The share of a normal distribution above z, to seven digits (Abramowitz and Stegun, 26.2.17). */
function above(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    ROOT *
    Math.exp((-z * z) / 2) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z >= 0 ? tail : 1 - tail;
}

const ROOT = 1 / Math.sqrt(2 * Math.PI);
