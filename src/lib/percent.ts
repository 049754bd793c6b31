/** A share as a percentage: `24 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** For a lower bound: rounded down, because rounding up would claim too much and could seem to reach a limit. */
export function atLeastPercent(share: number): string {
  // 100 * 0.29 is slightly less than 29.
  return `${Math.floor(100 * share + 1e-9)} %`;
}
