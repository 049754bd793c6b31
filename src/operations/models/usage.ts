import { z } from "zod";
import type { Context } from "../../context.ts";
import { spendingDay } from "../../domain/model/caps.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { medianOf } from "../../domain/evolution/statistics.ts";
import { DAY, iso, parseTime } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listFeedback } from "../../store/models/agent-calls.ts";
import { listCalls } from "../../store/models/stored-calls.ts";
import {
  listAnswerTimes,
  sumQualityByDay,
  sumUsageByDay,
  type UsageFilter,
  usageGroups,
} from "../../store/models/usage-by-day.ts";
import { timeInput } from "../shared/shapes.ts";
import { agentsInSight } from "./agents-in-sight.ts";

const countsShape = {
  calls: z.number(),
  answered: z.number(),
  failed: z.number(),
  capped: z.number().describe("stopped by a cap before they were sent"),
  cached: z.number().describe("answered from the response cache"),
  healed: z.number().describe("answered by a later attempt"),
  cost: z.number().describe("dollars, without calls paid by a subscription"),
  medianMs: z.number().nullable().describe("median time of answers that are not from the cache"),
  slowMs: z.number().nullable().describe("19 of 20 answers took less time"),
  judged: z.number().describe("calls that a check or a person has judged"),
  quality: z.number().nullable().describe("mean quality of the judged calls, from 0 to 1"),
};
const totalShape = z.object(countsShape).meta({ id: "ModelUsage" });

const usage = defineOperation({
  name: "models usage",
  summary:
    "Shows the cost, number, time and quality of model calls, by day and by provider, model, kind of task or agent, and the latest calls. `models call ID` shows one of them.",
  effect: "read",
  input: z.object({
    by: z.enum(usageGroups).default("provider").describe("what to group by"),
    days: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(400)
      .default(14)
      .describe("number of days in UTC, including today"),
    since: timeInput.optional().describe("from this time on, instead of a number of days"),
    until: timeInput.optional().describe("up to this time; now if omitted"),
    calls: z.coerce.number<number>().int().min(0).max(200).default(20).describe("how many of the latest calls to show"),
  }),
  positional: ["by"],
  output: z.object({
    since: z.string().describe("the first day, in UTC"),
    until: z.string(),
    by: z.enum(usageGroups),
    total: totalShape,
    days: z.array(z.object({ day: z.string(), ...countsShape })),
    groups: z
      .array(z.object({ of: z.string(), ...countsShape, costs: z.array(z.number()).describe("of each day") }))
      .describe("the most expensive first"),
    calls: z.array(
      z.object({
        id: z.string(),
        at: z.string(),
        agent: z.string(),
        session: z.string().nullable(),
        taskType: z.string(),
        complexity: z.string(),
        model: z.string(),
        outcome: z.enum(["ok", "cached", "failed", "capped", "aborted"]),
        failure: z.string().nullable(),
        ms: z.number(),
        cost: z.number(),
        listPrice: z.boolean().describe("a subscription paid; the cost is the list price"),
        healed: z.boolean(),
        explored: z.boolean().describe("chosen to learn about the model"),
        quality: z.number().nullable(),
        route: z.array(z.string()),
        attempts: z.array(
          z.object({ model: z.string(), failure: z.string().nullable(), ms: z.number(), cost: z.number() }),
        ),
      }),
    ),
  }),
  run: async (ctx, input) => {
    const filter: UsageFilter = { ...readDays(ctx, input), agents: agentsInSight(ctx) };
    const { by } = input;
    const sums = await sumUsageByDay(ctx.db, by, filter);
    const times = await listAnswerTimes(ctx.db, by, filter, MAX_TIMES);
    const qualities = await sumQualityByDay(ctx.db, by, filter);
    const add = (isIn: (one: { readonly day: string; readonly of: string }) => boolean) =>
      addUp(sums.filter(isIn), times.filter(isIn), qualities.filter(isIn));
    const days = listUtcDays(filter);
    const names = [...new Set(sums.map(({ of }) => of))];
    const groups = names.map((of) => ({
      of,
      ...add((one) => one.of === of),
      costs: days.map((day) =>
        sums.filter((one) => one.of === of && one.day === day).reduce((sum, { cost }) => sum + cost, 0),
      ),
    }));
    return {
      since: filter.since,
      until: filter.until,
      by,
      total: add(() => true),
      days: days.map((day) => ({ day, ...add((one) => one.day === day) })),
      groups: groups.toSorted((a, b) => b.cost - a.cost || b.calls - a.calls || (a.of < b.of ? -1 : 1)),
      calls: await listLatest(ctx, filter, input.calls),
    };
  },
  render: ({ since, until, total, groups, calls }) =>
    total.calls === 0
      ? `No model was called from ${since} to ${until} (UTC).`
      : [
          `${plural(total.calls, "call")} from ${since} to ${until} (UTC), ${formatDollars(total.cost)}`,
          ...groups.map(
            (one) => `  ${one.of}: ${plural(one.calls, "call")}, ${formatDollars(one.cost)}${timeText(one)}`,
          ),
          ...calls.map(
            (one) =>
              `${one.id}  ${one.at}  ${one.outcome.padEnd(7)} ${one.model}  ${one.agent}  ${one.taskType}  ${formatDollars(one.cost)}`,
          ),
        ].join("\n"),
});

export const modelUsageOperations = [usage] as const;

/** Enough for a median; more would only take longer to read. */
const MAX_TIMES = 20_000;

function readDays(
  { clock }: Pick<Context, "clock">,
  input: { readonly days: number; readonly since?: string | undefined; readonly until?: string | undefined },
): { readonly since: string; readonly until: string } {
  const until = parseTime(input.until) ?? clock.now();
  const since = parseTime(input.since) ?? until - (input.days - 1) * DAY;
  if (since > until)
    throw new OldhandError("usage", "since is after until", { hint: "give an earlier time for since" });
  if (until - since > MAX_DAYS * DAY)
    throw new OldhandError("usage", `at most ${MAX_DAYS} days are shown`, { hint: "choose a shorter period" });
  return { since: spendingDay(since), until: spendingDay(until) };
}

const MAX_DAYS = 400;

function listUtcDays({ since, until }: UsageFilter): readonly string[] {
  const first = Date.parse(`${since}T00:00:00Z`);
  const count = Math.round((Date.parse(`${until}T00:00:00Z`) - first) / DAY) + 1;
  return Array.from({ length: count }, (_, at) => spendingDay(first + at * DAY));
}

type Counted = Readonly<Record<"calls" | "answered" | "failed" | "capped" | "cached" | "healed" | "cost", number>>;

function addUp(
  sums: readonly Counted[],
  times: readonly { readonly ms: number }[],
  qualities: readonly { readonly judged: number; readonly quality: number }[],
): z.infer<typeof totalShape> {
  const sum = (name: keyof Counted) => sums.reduce((all, one) => all + one[name], 0);
  const sorted = times.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const judged = qualities.reduce((all, one) => all + one.judged, 0);
  return {
    calls: sum("calls"),
    answered: sum("answered"),
    failed: sum("failed"),
    capped: sum("capped"),
    cached: sum("cached"),
    healed: sum("healed"),
    cost: sum("cost"),
    medianMs: sorted.length === 0 ? null : medianOf(sorted),
    slowMs: sorted[Math.floor(sorted.length * 0.95)] ?? null,
    judged,
    quality: judged === 0 ? null : qualities.reduce((all, one) => all + one.quality, 0) / judged,
  };
}

async function listLatest({ db }: Pick<Context, "db">, filter: UsageFilter, limit: number) {
  if (limit === 0) return [];
  const range = {
    since: Date.parse(`${filter.since}T00:00:00Z`),
    until: Date.parse(`${filter.until}T00:00:00Z`) + DAY - 1,
  };
  const agents = filter.agents ?? [undefined];
  const found = [];
  for (const agent of agents) found.push(...(await listCalls(db, { ...range, agent, limit })));
  const calls = found.toSorted((a, b) => b.at - a.at).slice(0, limit);
  const feedback = await listFeedback(
    db,
    calls.map(({ id }) => id),
  );
  return calls.map((call) => ({
    id: call.id,
    at: iso(call.at),
    agent: call.agent,
    session: call.session,
    taskType: call.taskType,
    complexity: call.complexity,
    model: formatModelRef(call),
    outcome: call.outcome,
    failure: call.failure,
    ms: call.ms,
    cost: call.cost,
    listPrice: call.listPrice,
    healed: call.healed,
    explored: call.explored,
    quality: feedback.get(call.id)?.quality ?? null,
    route: [...call.route],
    attempts: call.attempts.map((one) => ({
      model: formatModelRef(one),
      failure: one.failure,
      ms: one.ms,
      cost: one.cost,
    })),
  }));
}

function timeText({
  medianMs,
  quality,
}: {
  readonly medianMs: number | null;
  readonly quality: number | null;
}): string {
  const time = medianMs === null ? "" : `, median ${(medianMs / 1_000).toFixed(1)} s`;
  return quality === null ? time : `${time}, quality ${quality.toFixed(2)}`;
}
