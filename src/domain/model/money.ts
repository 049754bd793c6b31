/**
 * Money is added up in whole billionths of a dollar, so that sums and comparisons with limits are exact. One token of the
 * cheapest model costs several billionths; nine million dollars still fit into a number.
 */
const NANOS = 1_000_000_000;

/** Rounds up, so that a reservation is never too small. */
export function toNanosUp(dollars: number): number {
  // A product such as 0.1 * 1e9 may be slightly above the intended whole number.
  return Math.max(0, Math.ceil(dollars * NANOS - 1e-6));
}

export function toNanos(dollars: number): number {
  return Math.round(dollars * NANOS);
}

export function toDollars(nanos: number): number {
  return nanos / NANOS;
}

/** `$1.25`; small amounts have two significant digits: `$0.0031`. */
export function formatDollars(dollars: number): string {
  if (dollars === 0) return "$0";
  if (Math.abs(dollars) >= 0.1) return `$${dollars.toFixed(2)}`;
  return `$${Number(dollars.toPrecision(2)).toFixed(Math.min(9, 1 - Math.floor(Math.log10(Math.abs(dollars)))))}`;
}
