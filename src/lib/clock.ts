/** Only this file reads the machine's clock; other code gets a `Clock` passed in. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock for replays: starts at `start` and does not advance by itself. */
export function fixedClock(start: number): Clock & { advance(ms: number): void; set(at: number): void } {
  let current = start;
  return {
    now: () => current,
    advance: (ms) => {
      current += ms;
    },
    set: (at) => {
      current = at;
    },
  };
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** For a reader without a calendar, such as a model: `Monday, 2026-11-16, 09:30 UTC`. */
export function dateAndTime(at: number): string {
  const [day = "", time = ""] = iso(at).split("T");
  const weekday = new Date(at).toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" });
  return `${weekday}, ${day}, ${time.slice(0, 5)} UTC`;
}

/** For a person at this machine, in its time zone: `14:02` on the same day, `2026-11-16 14:02` on another. */
export function formatLocalTime(at: number, now: number): string {
  const [day, time] = localParts(at);
  return day === localParts(now)[0] ? time.slice(0, 5) : `${day} ${time.slice(0, 5)}`;
}

/** `14:02:11` */
export function formatLocalClock(at: number): string {
  return localParts(at)[1];
}

function localParts(at: number): readonly [day: string, time: string] {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return [
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":"),
  ];
}

/** Milliseconds from an ISO date or a number of milliseconds; null if it is neither. */
export function parseTime(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || value === "") return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at;
}

/** Milliseconds since this process started, including Node's own start. Monotonic. */
export function sinceStart(): number {
  return process.uptime() * 1_000;
}
