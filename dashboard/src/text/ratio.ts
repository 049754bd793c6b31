/** Maps a ratio to 0..1: 0 for none, 0.5 for equal, 1 for infinite. Half and twice are equally far from the middle. */
export function computeRatioPosition(ratio: number): number {
  if (ratio === Number.POSITIVE_INFINITY) return 1;
  return ratio <= 0 ? 0 : ratio / (ratio + 1);
}
