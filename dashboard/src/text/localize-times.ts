import { formatDayAndTime } from "./ago.ts";

/** Texts of the store have times in UTC. A page has one time zone, that of its reader. */
export function localizeTimes(text: string, now: number): string {
  return text.replaceAll(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z/g, (time) =>
    formatDayAndTime(Date.parse(time), now),
  );
}
