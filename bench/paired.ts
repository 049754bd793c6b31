import { makeRandom } from "../src/lib/random.ts";

/** A difference in percentage points, with the 95 % interval from resampling the questions. */
export interface PairedDifference {
  readonly points: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 4_000;

/** The mean difference of pairs, with a bootstrap interval over the pairs: both sides have the same questions. */
export function computePairedDifference(one: readonly number[], other: readonly number[]): PairedDifference {
  const differences = one.map((value, at) => value - (other[at] ?? 0));
  const random = makeRandom(17);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let n = 0; n < differences.length; n++) sum += differences[Math.floor(random() * differences.length)] ?? 0;
    return sum / differences.length;
  }).toSorted((a, b) => a - b);
  return {
    points: toPoints(differences.reduce((sum, value) => sum + value, 0) / differences.length),
    low: toPoints(means[Math.floor(RESAMPLES * 0.025)] ?? 0),
    high: toPoints(means[Math.ceil(RESAMPLES * 0.975) - 1] ?? 0),
  };
}

function toPoints(share: number): number {
  return Math.round(share * 1_000) / 10;
}
