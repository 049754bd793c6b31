/** Where a ratio stands on a line from none (0) over equal (0.5) to endlessly more (1): half as much and twice as much are equally far from the middle. */
export function computeRatioPosition(ratio: number): number {
  if (ratio === Number.POSITIVE_INFINITY) return 1;
  return ratio <= 0 ? 0 : ratio / (ratio + 1);
}
