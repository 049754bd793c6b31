import { betaCdf } from "../proof/beta.ts";

export interface MeanDifference {
  /** Mean of the later values minus mean of the earlier ones. */
  readonly difference: number;
  readonly error: number;
  /** One-sided p-values for the later values being higher, and lower. */
  readonly higher: number;
  readonly lower: number;
  /** The 90 % interval of the difference. */
  readonly interval: readonly [low: number, high: number];
}

/** Welch's t-test: two means whose values may vary differently. Null with fewer than two values on a side. */
export function compareMeans(earlier: readonly number[], later: readonly number[]): MeanDifference | null {
  if (earlier.length < 2 || later.length < 2) return null;
  const [a, b] = [spreadOf(earlier), spreadOf(later)];
  const difference = b.mean - a.mean;
  const [shareA, shareB] = [a.variance / earlier.length, b.variance / later.length];
  const error = Math.sqrt(shareA + shareB);
  // Values that do not vary at all: any difference is certain.
  if (error === 0) {
    const [higher, lower] = [difference > 0 ? 0 : 1, difference < 0 ? 0 : 1];
    return { difference, error, higher, lower, interval: [difference, difference] };
  }
  const degrees = error ** 4 / (shareA ** 2 / (earlier.length - 1) + shareB ** 2 / (later.length - 1));
  const higher = tailOfT(difference / error, degrees);
  const reach = error * quantileOfT(0.95, degrees);
  return { difference, error, higher, lower: 1 - higher, interval: [difference - reach, difference + reach] };
}

/** Mann-Whitney rank-sum test, one-sided: the probability of ranks as high as these if the later values were not higher. */
export function testRise(earlier: readonly number[], later: readonly number[]): number {
  const all = [
    ...earlier.map((value) => ({ value, isLater: false })),
    ...later.map((value) => ({ value, isLater: true })),
  ].sort((one, other) => one.value - other.value);
  const [m, n, total] = [earlier.length, later.length, all.length];
  if (m === 0 || n === 0) return 1;
  let ranks = 0;
  let ties = 0;
  for (let at = 0; at < total;) {
    let end = at;
    while (end < total && all[end]?.value === all[at]?.value) end++;
    const size = end - at;
    ties += size ** 3 - size;
    const rank = (at + 1 + end) / 2;
    for (let i = at; i < end; i++) if (all[i]?.isLater) ranks += rank;
    at = end;
  }
  const wins = ranks - (n * (n + 1)) / 2;
  const variance = ((m * n) / 12) * (total + 1 - ties / (total * (total - 1)));
  if (!(variance > 0)) return 1;
  return tailOfT((wins - (m * n) / 2 - 0.5) / Math.sqrt(variance), 1e6);
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

function spreadOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance };
}

/** The share of Student's t above a value. */
function tailOfT(t: number, degrees: number): number {
  const half = betaCdf(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t >= 0 ? half : 1 - half;
}

function quantileOfT(share: number, degrees: number): number {
  let [low, high] = [0, 1_000];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (1 - tailOfT(middle, degrees) < share) low = middle;
    else high = middle;
  }
  return high;
}
