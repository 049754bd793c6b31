import { DAY, MINUTE } from "../../lib/clock.ts";

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

/** Why no work begins at some time, and until when. */
export interface WorkHold {
  readonly kind: "off" | "paused" | "quiet";
  /** Null: until somebody ends it. */
  readonly until: number | null;
}

/** True for what one home set for itself; a pause holds for all machines. */
export function isOwnHold({ kind }: Pick<WorkHold, "kind">): boolean {
  return kind !== "paused";
}

/** Why no work begins at this time; null if it may. */
export function findHold(
  time: number,
  pauses: readonly PauseSpan[],
  quiet: QuietHours | null,
  minuteOfDay: (time: number, zone: string) => number,
): WorkHold | null {
  const pause = pauses.find((one) => coversTime(one, time));
  if (pause !== undefined) return { kind: "paused", until: endOf(pause) };
  if (quiet === null) return null;
  const minute = minuteOfDay(time, quiet.zone);
  return isQuiet(quiet, minute) ? { kind: "quiet", until: endOfQuiet(quiet, time, minute) } : null;
}

/** For a slot of that time. `machine`: whose settings these are, in a team. */
export function explainHold(hold: WorkHold, machine: string | null): string {
  const words = { off: "oldhand was switched off", paused: "work was paused", quiet: "it was a quiet hour" };
  return words[hold.kind] + ofMachine(hold, machine);
}

/** For what is not run now. */
export function explainHoldNow(hold: WorkHold, machine: string | null): string {
  const words = { off: "oldhand is off", paused: "work is paused", quiet: "it is a quiet hour" };
  return words[hold.kind] + ofMachine(hold, machine);
}

function ofMachine(hold: WorkHold, machine: string | null): string {
  return machine === null || !isOwnHold(hold) ? "" : ` on ${machine}`;
}

function endOf({ until, endedAt }: PauseSpan): number | null {
  const end = Math.min(until ?? Number.POSITIVE_INFINITY, endedAt ?? Number.POSITIVE_INFINITY);
  return end === Number.POSITIVE_INFINITY ? null : end;
}

function coversTime(pause: PauseSpan, time: number): boolean {
  const end = endOf(pause);
  return pause.since <= time && (end === null || time < end);
}

/** The span may go over midnight. */
function isQuiet({ from, to }: QuietHours, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** If the clocks are changed before, this is an hour off: whoever goes on from there asks again. */
function endOfQuiet({ to }: QuietHours, time: number, minute: number): number {
  const minutes = to > minute ? to - minute : to + DAY / MINUTE - minute;
  return Math.floor(time / MINUTE) * MINUTE + minutes * MINUTE;
}
