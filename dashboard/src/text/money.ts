const large = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 2 });
const small = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 2 });

/** $12.30 as it is, $0.00042 with two digits. */
export function formatDollars(amount: number): string {
  return amount === 0 || Math.abs(amount) >= 1 ? large.format(amount) : small.format(amount);
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
