import { z } from "zod";
import type { Context } from "../../context.ts";
import { listActivePeriods } from "../../distil/counting/effect.ts";
import { iso } from "../../lib/clock.ts";
import { defineOperation } from "../../operation.ts";
import { countMistakeIn, countRuleIn, countSessionsIn, type TrendCount } from "../../store/derived/day-trends.ts";
import { listChangesOf } from "../../store/journal/journal.ts";
import { ruleNoun } from "../../store/nouns/rules.ts";
import { findVisibleRule } from "../rules/find-rule.ts";
import { periodInput, type Period, readPeriod } from "../shared/period.ts";

const trend = defineOperation({
  name: "trend",
  summary: "Failed calls and sessions by day: of all, of one mistake, or of the calls that a rule warns against.",
  effect: "touches",
  prepare: ["events"],
  byWorkspace: true,
  input: z.object({
    signature: z.string().min(1).optional().describe("of this mistake, as in `oldhand report --json`"),
    rule: z
      .string()
      .min(1)
      .optional()
      .describe("of the calls that this rule warns against, as far as they are counted"),
    ...periodInput,
  }),
  output: z.object({
    since: z.string(),
    until: z.string(),
    zone: z.string(),
    days: z.array(z.object({ day: z.string(), failures: z.number(), sessions: z.number() })),
    marks: z
      .array(z.object({ day: z.string(), at: z.string(), what: z.enum(["in force", "out of force"]) }))
      .describe("when the rule came into force and out of it in that time"),
  }),
  run: async (ctx, input) => {
    const period = readPeriod(ctx, input);
    const { days, since, until, zone } = period;
    const rule = input.rule === undefined ? null : await findVisibleRule(ctx, input.rule);
    const counted = await countedFor(ctx, days, { ...input, rule: rule?.id });
    return {
      since: iso(since),
      until: iso(until),
      zone,
      days: days.map(({ day }, n) => ({
        day,
        failures: counted[n]?.failures ?? 0,
        sessions: counted[n]?.sessions ?? 0,
      })),
      marks: rule === null ? [] : await marksOf(ctx, rule.id, period),
    };
  },
  render: ({ days, marks }) =>
    [
      "day         failed  sessions",
      ...days.map(
        ({ day, failures, sessions }) =>
          `${day}  ${String(failures).padStart(6)}  ${String(sessions).padStart(8)}${marks
            .filter((mark) => mark.day === day)
            .map((mark) => `  ${mark.what}`)
            .join("")}`,
      ),
    ].join("\n"),
});

function countedFor(
  { db }: Pick<Context, "db">,
  days: Period["days"],
  of: {
    readonly signature?: string | undefined;
    readonly rule?: string | undefined;
    readonly workspace?: string | undefined;
  },
): Promise<readonly TrendCount[]> {
  if (of.rule !== undefined) return countRuleIn(db, days, of.rule, of.workspace);
  if (of.signature !== undefined) return countMistakeIn(db, days, of.signature, of.workspace);
  return countSessionsIn(db, days, of.workspace);
}

type Mark = { day: string; at: string; what: "in force" | "out of force" };

/** Level and wording may change while a rule is in force: only a gap between periods starts a new one. */
async function marksOf({ db }: Pick<Context, "db">, rule: string, { days }: Period): Promise<Mark[]> {
  const periods = listActivePeriods(await listChangesOf(db, ruleNoun, rule));
  const starts = periods.filter(({ from }) => !periods.some((other) => other.to === from));
  const ends = periods.filter(({ to }) => to !== Infinity && !periods.some((other) => other.from === to));
  return [
    ...starts.map(({ from }) => ({ at: from, what: "in force" as const })),
    ...ends.map(({ to }) => ({ at: to, what: "out of force" as const })),
  ]
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ at, what }) => {
      const day = days.find(({ since, until }) => at >= since && at < until);
      return day === undefined ? [] : [{ day: day.day, at: iso(at), what }];
    });
}

export const trendOperations = [trend] as const;
