/**
 * The lower end of the 95 % Wilson interval: the least plausible share, given the sample size. 3 of 3 is not 300 of
 * 300.
 */
export function wilsonLower(hits: number, total: number, z = 1.96): number {
  if (total === 0) return 0;
  const p = hits / total;
  const z2 = z * z;
  const centre = p + z2 / (2 * total);
  const spread = z * Math.sqrt((p * (1 - p) + z2 / (4 * total)) / total);
  return Math.max(0, (centre - spread) / (1 + z2 / total));
}
