import { z } from "zod";
import { formatDollars, toDollars } from "../../domain/model/money.ts";
import { spendingDay } from "../../domain/model/caps.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { sumReservations } from "../../store/models/cap-usage.ts";
import { type CostSum, costGroups, sumAllCosts, sumCosts } from "../../store/models/day-sums.ts";
import { agentsInSight } from "./agents-in-sight.ts";

const DAY_MS = 86_400_000;

const sumShape = z
  .object({
    of: z.string().describe("the day, the provider, provider/model, the agent or the task type"),
    calls: z.number(),
    answered: z.number(),
    failed: z.number(),
    capped: z.number().describe("stopped by a cap before they were sent"),
    stopped: z.number().describe("stopped by the caller"),
    cached: z.number().describe("answered from the response cache"),
    healed: z.number().describe("answered by a later attempt"),
    attempts: z.number(),
    failedAttempts: z.number(),
    unknownPrices: z.number().describe("attempts whose price is not in the table"),
    ms: z.number().describe("total time of all calls"),
    tokens: z.object({
      in: z.number(),
      out: z.number(),
      cached: z.number(),
      cacheWrite: z.number(),
      reasoning: z.number(),
    }),
    cost: z.number().describe("dollars, without calls paid by a subscription"),
    listPrice: z.number().describe("dollars at list price, of calls paid by a subscription"),
  })
  .meta({ id: "ModelCosts" });

const costs = defineOperation({
  name: "models costs",
  summary: "Shows what model calls cost, by day, provider, model, agent or task type, and what is reserved now.",
  effect: "read",
  input: z.object({
    by: z.enum(costGroups).default("day").describe("what to add up by"),
    days: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(3_650)
      .default(14)
      .describe("number of days in UTC, including today"),
  }),
  positional: ["by"],
  output: z.object({
    since: z.string(),
    until: z.string(),
    by: z.enum(costGroups),
    sums: z.array(sumShape),
    total: sumShape,
    reserved: z.number().describe("dollars reserved by calls under way"),
    lost: z
      .number()
      .describe(
        "dollars reserved by processes that died before they settled: at most this much more may have been spent",
      ),
  }),
  run: async (ctx, { by, days }) => {
    const now = ctx.clock.now();
    const filter = {
      since: spendingDay(now - (days - 1) * DAY_MS),
      until: spendingDay(now),
      agents: agentsInSight(ctx),
    };
    const { held, lost } =
      filter.agents === undefined ? await sumReservations(ctx.db, { ...filter, now }) : { held: 0, lost: 0 };
    return {
      since: filter.since,
      until: filter.until,
      by,
      sums: [...(await sumCosts(ctx.db, by, filter))],
      total: await sumAllCosts(ctx.db, filter),
      reserved: toDollars(held),
      lost: toDollars(lost),
    };
  },
  render: ({ sums, total, reserved, lost, since, until }) => {
    if (total.calls === 0) return `No model was called from ${since} to ${until} (UTC).`;
    const width = Math.max(5, ...sums.map(({ of }) => of.length));
    return [
      `${"".padEnd(width)}       cost  calls  failed  capped  stopped  tokens in       out   cached`,
      ...[...sums, { ...total, of: "total" }].map((sum) => formatSum(sum, width)),
      ...(total.capped > 0 ? ["capped: a cap stopped the call before it was sent."] : []),
      ...(total.stopped > 0 ? ["stopped: the caller stopped the call, such as with Ctrl-C."] : []),
      ...(total.listPrice > 0
        ? [
            `Subscriptions paid for calls worth ${formatDollars(total.listPrice)} at list price; the costs above do not include them.`,
          ]
        : []),
      ...(total.unknownPrices > 0
        ? [
            `${plural(total.unknownPrices, "attempt")} had no known price and counted at the highest known one; oldhand models prices shows where prices come from.`,
          ]
        : []),
      ...(reserved > 0 ? [`${formatDollars(reserved)} is reserved by calls under way.`] : []),
      ...(lost > 0
        ? [`Up to ${formatDollars(lost)} more may have been spent by processes that died during a call.`]
        : []),
    ].join("\n");
  },
});

function formatSum(
  sum: Pick<CostSum, "of" | "cost" | "calls" | "failed" | "capped" | "stopped" | "tokens">,
  width: number,
): string {
  return [
    sum.of.padEnd(width),
    formatDollars(sum.cost).padStart(10),
    String(sum.calls).padStart(6),
    String(sum.failed).padStart(7),
    String(sum.capped).padStart(7),
    String(sum.stopped).padStart(8),
    String(sum.tokens.in).padStart(10),
    String(sum.tokens.out).padStart(9),
    String(sum.tokens.cached).padStart(8),
  ].join(" ");
}

export const modelCostOperations = [costs] as const;
