import { DAY, HOUR, MINUTE, parseTime, SECOND } from "./clock.ts";

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/**
 * A time as a person types it: a date with its time, a span from now (`10m`, `2h`), or the next time of a day on this
 * machine (`18:00`). Null if it is none of these.
 */
export function parseMoment(text: string, now: number): number | null {
  const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text.trim()) ?? [];
  if (amount !== undefined) return now + Number(amount) * (UNITS[unit] ?? 0);
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  // Of other texts, the parser of dates makes years that nobody meant.
  if (hour === undefined) return /^\d{4}-/.test(text.trim()) ? parseTime(text.trim()) : null;
  const at = new Date(now);
  at.setHours(Number(hour), Number(minute), 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}
