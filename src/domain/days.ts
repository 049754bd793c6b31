import { DAY } from "../lib/clock.ts";
import { localTimeZone } from "../lib/local-zone.ts";

/** One day in a person's time zone, from midnight to midnight. */
export interface CalendarDay {
  /** `2026-11-17`. */
  readonly day: string;
  readonly since: number;
  readonly until: number;
}

/** Returns the days that overlap the interval, oldest first. A day has 23 or 25 hours when the clocks change. */
export function listDays(since: number, until: number, zone: string): readonly CalendarDay[] {
  const clock = zoneClock(zone);
  const days: CalendarDay[] = [];
  for (let start = clock.midnightOf(since); start <= until;) {
    // 36 hours later is always past the next midnight, however long this day is.
    const next = clock.midnightOf(start + DAY + DAY / 2);
    days.push({ day: clock.dateOf(start), since: start, until: next });
    start = next;
  }
  return days;
}

/** Returns the midnight at which the last `count` days begin, including today. */
export function startOfDays(count: number, until: number, zone: string): number {
  const clock = zoneClock(zone);
  const today = Date.parse(`${clock.dateOf(until)}T12:00:00Z`);
  const date = new Date(today - (count - 1) * DAY).toISOString().slice(0, 10);
  return clock.midnightOf(clock.noonOf(date));
}

/** The time zone of this machine. */
export function localZone(): string {
  return localTimeZone();
}

export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    // Intl throws on an unknown zone.
    return false;
  }
}

interface ZoneClock {
  dateOf(at: number): string;
  midnightOf(at: number): number;
  noonOf(date: string): number;
}

function zoneClock(zone: string): ZoneClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  /** The local wall-clock time, encoded as if it were UTC. */
  const wallTime = (at: number): number => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const offsetAt = (at: number): number => wallTime(at) - Math.floor(at / 1_000) * 1_000;
  /** The instant at which the wall clock shows this time. Computed twice, because the offset may change in between. */
  const instantOf = (wall: number): number => {
    const near = wall - offsetAt(wall);
    return wall - offsetAt(near);
  };
  const dateOf = (at: number): string => new Date(wallTime(at)).toISOString().slice(0, 10);
  return {
    dateOf,
    midnightOf: (at) => instantOf(Date.parse(`${dateOf(at)}T00:00:00Z`)),
    noonOf: (date) => instantOf(Date.parse(`${date}T12:00:00Z`)),
  };
}
