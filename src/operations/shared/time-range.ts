import { parseTime } from "../../lib/clock.ts";
import { timeInput } from "./shapes.ts";

/** Input of operations that list items by time. */
export const rangeInput = {
  since: timeInput.optional().describe("only from this time on"),
  until: timeInput.optional().describe("only up to this time"),
};

export interface TimeRange {
  readonly since: number | undefined;
  readonly until: number | undefined;
}

export function readRange(input: {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}): TimeRange {
  return { since: parseTime(input.since) ?? undefined, until: parseTime(input.until) ?? undefined };
}

/** True if the period from `first` to `last` overlaps the range. */
export function touchesRange({ since, until }: TimeRange, first: number, last = first): boolean {
  return (since === undefined || last >= since) && (until === undefined || first <= until);
}
