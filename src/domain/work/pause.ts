/** A time in which no work begins: ordered by the owner, or the quiet hours of every day. */
export interface PauseSpan {
  readonly since: number;
  readonly until: number | null;
  readonly endedAt: number | null;
}

/** Hours of every day in which no work begins: `22:00-07:00`. */
export interface QuietHours {
  /** Minutes after midnight. */
  readonly from: number;
  readonly to: number;
  readonly zone: string;
}

/** Null if the text is empty; undefined if it cannot be read. */
export function parseQuietHours(text: string, zone: string): QuietHours | null | undefined {
  if (text.trim() === "") return null;
  const found = /^\s*(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})\s*$/.exec(text);
  if (found === null) return undefined;
  const [, fromHour, fromMinute, toHour, toMinute] = found.map(Number);
  const from = minutesOf(fromHour ?? 99, fromMinute ?? 99);
  const to = minutesOf(toHour ?? 99, toMinute ?? 99);
  return from === null || to === null || from === to ? undefined : { from, to, zone };
}

function minutesOf(hour: number, minute: number): number | null {
  return hour <= 23 && minute <= 59 ? hour * 60 + minute : null;
}

export const QUIET_HOUR = "it was a quiet hour";

/** Why no work begins at this time, in words; null if it may. */
export function findPauseReason(
  time: number,
  pauses: readonly PauseSpan[],
  quiet: QuietHours | null,
  minuteOfDay: (time: number, zone: string) => number,
): string | null {
  if (pauses.some((pause) => coversTime(pause, time))) return "work was paused";
  return quiet !== null && isQuiet(quiet, minuteOfDay(time, quiet.zone)) ? QUIET_HOUR : null;
}

function coversTime({ since, until, endedAt }: PauseSpan, time: number): boolean {
  return since <= time && time < Math.min(until ?? Number.POSITIVE_INFINITY, endedAt ?? Number.POSITIVE_INFINITY);
}

/** The span may go over midnight. */
function isQuiet({ from, to }: QuietHours, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
