/** `$1.25`; below ten cents, two significant digits: `$0.0031`. Commands write amounts in the same way. */
export function formatDollars(dollars: number): string {
  return formatRounded(dollars, Math.round);
}

/** The same for what is left: never more than there is. */
export function formatDollarsDown(dollars: number): string {
  return formatRounded(dollars, Math.floor);
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

/** "820 ms", "4.2 s", "3 min". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 90_000 ? `${Number((ms / 1_000).toPrecision(2))} s` : `${Math.round(ms / 60_000)} min`;
}

/** A quality from 0 to 1. */
export function formatQuality(quality: number): string {
  return quality.toFixed(2);
}
