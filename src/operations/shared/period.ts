import { z } from "zod";
import type { Context } from "../../context.ts";
import { type CalendarDay, isZone, listDays, localZone, startOfDays } from "../../domain/days.ts";
import { OldhandError } from "../../lib/errors.ts";
import { parseTime } from "../../lib/clock.ts";
import { timeInput, workspaceInput } from "./shapes.ts";

/** Maximum number of days, because the output has one row per day. */
const MOST_DAYS = 400;

/** How many days are counted if nobody says it. */
export const defaultDays = 14;

/** Input: which days. */
export const periodInput = {
  days: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(MOST_DAYS)
    .default(defaultDays)
    .describe("so many days, today counted in"),
  since: timeInput.optional().describe("from this time on, in place of a number of days"),
  until: timeInput.optional().describe("up to this time; now if not given"),
  zone: z
    .string()
    .refine(isZone, "must be a time zone such as Europe/Berlin")
    .optional()
    .describe("the time zone in which days begin, such as Europe/Berlin; this machine's if not given"),
  workspace: workspaceInput("only in this folder"),
};

export interface Period {
  readonly since: number;
  readonly until: number;
  readonly zone: string;
  readonly days: readonly CalendarDay[];
}

export function readPeriod(
  { clock }: Pick<Context, "clock">,
  input: {
    readonly days: number;
    readonly since?: string | undefined;
    readonly until?: string | undefined;
    readonly zone?: string | undefined;
  },
): Period {
  const zone = input.zone ?? localZone();
  const until = parseTime(input.until) ?? clock.now();
  const since = parseTime(input.since) ?? startOfDays(input.days, until, zone);
  if (since > until)
    throw new OldhandError("usage", "since is after until", { hint: "give an earlier time for since" });
  const all = listDays(since, until, zone);
  if (all.length > MOST_DAYS)
    throw new OldhandError("usage", `that is ${all.length} days, and at most ${MOST_DAYS} are counted`, {
      hint: "ask for a shorter time",
    });
  // The first and the last day are cut to the requested times.
  const days = all.map((day) => ({ ...day, since: Math.max(day.since, since), until: Math.min(day.until, until + 1) }));
  return { since, until, zone, days };
}
