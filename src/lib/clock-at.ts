import { type Clock, parseTime, systemClock } from "./clock.ts";

/** The clock for `--now`: fixed at that time, or the machine's clock without one. Null if it is not a time. */
export function clockAt(now: string | undefined): Clock | null {
  if (now === undefined) return systemClock;
  const at = parseTime(now);
  return at === null ? null : { now: () => at };
}
