import { Cron } from "croner";
import { explainZoneFault, isTimeZone } from "./local-zone.ts";

/** A schedule: a cron expression (five fields, or six with seconds) in an IANA time zone. */
export interface Schedule {
  readonly cron: string;
  readonly zone: string;
}

/**
 * The due times after `after` up to and including `until`, oldest first, at most `limit`.
 * Where a clock is put forward, a time that does not exist is due at the end of the gap. Where it is put back, a fixed
 * time is due once; `*` and steps are due in both hours.
 */
export function listDueTimes(
  schedule: Schedule,
  {
    after,
    until,
    limit = Number.POSITIVE_INFINITY,
  }: { readonly after: number; readonly until: number; readonly limit?: number },
): readonly number[] {
  const cron = parseCron(schedule);
  const times: number[] = [];
  for (let at = nextTime(cron, after); at !== null && at <= until && times.length < limit; at = nextTime(cron, at))
    times.push(at);
  return times;
}

/** The next due time after `after`; null if there is none. */
export function nextDueTime(schedule: Schedule, after: number): number | null {
  const key = `${schedule.cron} ${schedule.zone}`;
  const known = lastFound.get(key);
  // Up to a due time, it is the next one. Workers ask each second, and a calendar with a time zone is slow.
  if (known !== undefined && known.after <= after && after < known.next) return known.next;
  const next = nextTime(parseCron(schedule), after);
  if (lastFound.size >= MOST_KNOWN) lastFound.clear();
  if (next !== null) lastFound.set(key, { after, next });
  return next;
}

const MOST_KNOWN = 500;
const lastFound = new Map<string, { readonly after: number; readonly next: number }>();

/** What is wrong with a schedule; null if it can be used. */
export function findScheduleFault(schedule: Schedule, now: number): string | null {
  if (!isTimeZone(schedule.zone)) return explainZoneFault(schedule.zone);
  const fields = schedule.cron.trim().split(/\s+/);
  let next: number | null;
  try {
    // The parser also takes a seventh field, a year.
    if (fields.length > 6) throw new Error("too many fields");
    next = nextDueTime(schedule, now);
  } catch (error) {
    return `"${schedule.cron}" is not a cron expression: ${explainFault(error, fields)}`;
  }
  const misread = findMisreadPart(fields);
  if (misread !== null) return `"${schedule.cron}" is not a cron expression: ${misread}`;
  return next === null ? `"${schedule.cron}" is never due` : null;
}

/** Parts that the parser takes, but for times that nobody meant. */
function findMisreadPart(fields: readonly string[]): string | null {
  const [day = "", , weekday = ""] = fields.slice(-3);
  for (const part of fields.length < 5 ? [] : day.split(",")) {
    if (!/l/i.test(part) || /^lw?$/i.test(part)) continue;
    return ONE_WEEKDAY_LAST.test(part)
      ? `"${part}" belongs into the weekday field; in the day field, L stands alone for the last day of the month`
      : `"${part}" cannot be read: in the day field, L stands alone for the last day of the month`;
  }
  for (const part of weekday.split(",")) {
    if (/l$/i.test(part) && !ONE_WEEKDAY_LAST.test(part))
      return `"${part}" cannot be read: L follows one weekday, such as 5L for the last Friday`;
    if (part.includes("#") && !ONE_WEEKDAY_NUMBERED.test(part))
      return `"${part}" cannot be read: # follows one weekday, such as 5#2 for the second Friday`;
  }
  return null;
}

const ONE_WEEKDAY_LAST = /^(?:[0-7]|sun|mon|tue|wed|thu|fri|sat)l$/i;
const ONE_WEEKDAY_NUMBERED = /^(?:[0-7]|sun|mon|tue|wed|thu|fri|sat)#[1-5l]$/i;

const FIVE = ["minute", "hour", "day", "month", "weekday"];

/** In our words: which part is wrong. */
function explainFault(error: unknown, fields: readonly string[]): string {
  if (fields[0]?.startsWith("@") === true)
    return "of these names there are @hourly, @daily, @weekly, @monthly and @yearly";
  const names = fields.length === 5 ? FIVE : fields.length === 6 ? ["second", ...FIVE] : null;
  if (names === null)
    return `it has ${fields.length} ${fields.length === 1 ? "field" : "fields"}, and needs five (${FIVE.join(", ")}), such as "0 9 * * 1-5", or six with seconds before them`;
  const text = error instanceof Error ? error.message : "";
  const [, name, value] = /Invalid value for (\w+): (.+)$/.exec(text) ?? [];
  if (name === "day" || name === "nearestWeekdays" || name === "month")
    // The parser counts these from 0.
    return `${Number(value) + 1} is not a ${name === "month" ? "month (1-12)" : "day (1-31)"}`;
  if (name !== undefined) return `${value} is not a ${name === "dayOfWeek" ? "weekday (0-7, MON-SUN)" : name}`;
  const at = fields.findIndex((field, n) => !isCron(fields.map((_, other) => (other === n ? field : "*")).join(" ")));
  const field = fields[at] ?? "";
  return `"${field}" in its field ${at + 1} (${names[at] ?? ""}) ${explainField(field)}`;
}

function explainField(field: string): string {
  if (/\/0+$/.test(field)) return "has a step of 0";
  const [, from, to] = /^(\d+)-(\d+)/.exec(field) ?? [];
  if (from !== undefined && Number(from) > Number(to)) return `goes backwards: ${to}-${from} is the range`;
  return "cannot be read";
}

function isCron(cron: string): boolean {
  try {
    return parseCron({ cron, zone: "UTC" }) !== null;
  } catch {
    return false;
  }
}

/** Minutes after midnight in a time zone. */
export function minuteOfDay(time: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(time);
  const numberOf = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return numberOf("hour") * 60 + numberOf("minute");
}

function parseCron({ cron, zone }: Schedule): Cron {
  return new Cron(cron, { timezone: zone, paused: true });
}

function nextTime(cron: Cron, after: number): number | null {
  return cron.nextRun(new Date(after))?.getTime() ?? null;
}
