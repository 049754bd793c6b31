const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "3 min ago"; the date itself from a month on. */
export function formatAgo(at: number, now: number): string {
  const past = now - at;
  if (past < -MINUTE) return formatDate(at, now);
  if (past < 10_000) return "just now";
  if (past < MINUTE) return `${Math.floor(past / 1000)} s ago`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  if (past < 30 * DAY) return `${Math.floor(past / DAY)} d ago`;
  return formatDate(at, now);
}

/** "41 s", "12 min", "3 h 20 min". */
export function formatSpan(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  const hours = Math.floor(ms / HOUR);
  const minutes = Math.round((ms % HOUR) / MINUTE);
  return minutes === 0 || hours >= 24 ? `${hours} h` : `${hours} h ${minutes} min`;
}

export function formatAbsolute(at: number): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "full", timeStyle: "long" });
}

export function formatTimeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB");
}

/** The value of a `datetime-local` field: local time without a zone. */
export function formatForInput(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE);
  return local.toISOString().slice(0, 19);
}

/** "18 Jun, 14:02", with the year if it is not this one. */
export function formatDayAndTime(at: number, now: number): string {
  return `${formatDate(at, now)}, ${formatTimeOfDay(at).slice(0, 5)}`;
}

function formatDate(at: number, now: number): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  });
}
