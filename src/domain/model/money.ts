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

/** `$1.25`; below ten cents, two significant digits: `$0.0031`. The dashboard writes amounts in the same way. */
export function formatDollars(dollars: number): string {
  return formatRounded(dollars, Math.round);
}

/** With every digit, at least two: `$0.004536`. For sums that a person checks by hand. */
export function formatDollarsExactly(dollars: number): string {
  const options = { minimumFractionDigits: 2, maximumFractionDigits: 9 };
  return dollars === 0 ? "$0" : `$${dollars.toLocaleString("en-US", options)}`;
}

/** As `formatDollars`, for what is left: never more than there is. */
export function formatDollarsDown(dollars: number): string {
  return formatRounded(dollars, Math.floor);
}

/** As `formatDollars`, for what may be needed: never less than that. */
export function formatDollarsUp(dollars: number): string {
  return formatRounded(dollars, Math.ceil);
}

function formatRounded(dollars: number, round: (value: number) => number): string {
  if (dollars === 0) return "$0";
  const size = Math.abs(dollars);
  const digits = size >= 0.1 ? 2 : Math.min(9, 1 - Math.floor(Math.log10(size)));
  // A product such as 0.00225 * 10,000 may be slightly below the intended number.
  const whole = round(Number((dollars * 10 ** digits).toPrecision(12)));
  const shown = whole === 0 || Math.abs(whole) < 10 ** (digits - 1) ? digits : 2;
  const options = { minimumFractionDigits: shown, maximumFractionDigits: shown };
  return `$${(whole / 10 ** digits).toLocaleString("en-US", options)}`;
}
