import type { RoutePolicy } from "./policy.ts";

/**
 * The value of trying a model once, beyond the task itself. Further outcomes may change which model is best; the gain
 * from that, over future tasks, is divided by the tries it takes.
 */
export function worthOfTrying(
  { behind, variance, weight }: { readonly behind: number; readonly variance: number; readonly weight: number },
  policy: RoutePolicy,
): number {
  const moves = Math.sqrt((variance * policy.lookahead) / (weight + policy.lookahead));
  return (expectedGain(behind, moves) * policy.foresight) / policy.lookahead;
}

/** The expected excess of a normal variable over a bar that is `bar` above its mean. */
export function expectedGain(bar: number, deviation: number): number {
  if (deviation <= 0) return Math.max(0, -bar);
  const z = bar / deviation;
  return Math.max(0, deviation * Math.exp((-z * z) / 2) * ROOT - bar * above(z));
}

/** The upper tail of the normal distribution, to seven digits (Abramowitz and Stegun, 26.2.17). */
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
