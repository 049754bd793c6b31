/** A share as everybody reads it: `24 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** A lower bound: rounded up it would claim more than is known, and seem to reach a limit that it misses. */
export function atLeastPercent(share: number): string {
  // 100 * 0.29 is a little less than 29.
  return `${Math.floor(100 * share + 1e-9)} %`;
}
