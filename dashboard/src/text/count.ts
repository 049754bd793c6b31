const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Formats 1204 as "1,204" and 48213 as "48.2K". */
export function formatCount(n: number): string {
  return Math.abs(n) < 10_000 ? whole.format(n) : short.format(n);
}

export function formatExact(n: number): string {
  return whole.format(n);
}

/** "1 session", "2 sessions". */
export function formatMany(n: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(n)} ${n === 1 ? noun : plural}`;
}

export function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A lower bound is rounded down, as in `src/lib/percent.ts`: rounding up would claim more than is known. */
export function formatAtLeastPercent(share: number): string {
  return `${Math.floor(share * 100 + 1e-9)} %`;
}
