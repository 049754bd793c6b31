import { now } from "./clock.ts";
import { getQueryParameter } from "./location.ts";

/** The days that a page counts, as operation input. */
export type PeriodInput = {
  readonly days?: number;
  readonly since?: string;
  readonly until?: string;
  readonly workspace?: string;
  readonly zone: string;
};

const spans: Readonly<Record<string, number>> = { "24h": 2, "7d": 7, "30d": 30, "90d": 90 };

/** Reads the period from the address: whole days up to today, or between two days. Default: the last `days` days. */
export function usePeriod(days: number): PeriodInput {
  const workspace = getQueryParameter("workspace");
  return {
    ...readTime(days),
    ...(workspace === null || workspace === "" ? {} : { workspace }),
    zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function readTime(days: number): Pick<PeriodInput, "days" | "since" | "until"> {
  const span = spans[getQueryParameter("range") ?? ""];
  if (span !== undefined) return { days: span };
  const [from, to] = [readDay("from", "T00:00:00.000"), readDay("to", "T23:59:59.999")];
  if (from === null && to === null) return { days };
  // At most a year is counted. Without `from`, only the last `days` days up to `to`.
  const until = Math.min(to ?? now.value, now.value);
  if (from === null) return { days, until: new Date(until).toISOString() };
  const since = Math.max(from, until - MOST_DAYS * DAY);
  return {
    since: new Date(Math.min(since, until)).toISOString(),
    ...(to === null ? {} : { until: new Date(until).toISOString() }),
  };
}

const DAY = 86_400_000;
const MOST_DAYS = 366;

function readDay(name: string, time: string): number | null {
  const text = getQueryParameter(name);
  if (text === null) return null;
  const ms = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text + time : text);
  return Number.isNaN(ms) ? null : ms;
}
