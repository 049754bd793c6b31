import { z } from "zod";
import { iso } from "../../lib/clock.ts";
import { parseMoment } from "../../lib/moment.ts";
import { defineOperation } from "../../operation.ts";
import { listExecutionEntries } from "../../store/goals/execution-log.ts";
import { requireGoal } from "./goal-shapes.ts";

const entryShape = z
  .object({
    id: z.string(),
    at: z.string(),
    cycle: z.string().nullable(),
    action: z.string(),
    summary: z.string(),
    details: z.record(z.string(), z.unknown()).describe("attempt, branch, commit, model, cost, tokens and the like"),
    ms: z.number().nullable().describe("how long it took"),
    goal: z.string().nullable(),
    task: z.string().nullable(),
    source: z.string().nullable().describe("the program that it was imported from"),
  })
  .meta({ id: "ExecutionEntry" });

const log = defineOperation({
  name: "goal log",
  summary: "Lists what cycles did, the newest first. Lines are added and never changed.",
  effect: "touches",
  prepare: ["markers"],
  input: z.object({
    goal: z.string().min(1).optional().describe("only about this goal"),
    since: z
      .string()
      .refine((text) => parseMoment(text, 0) !== null, "must be such as 2026-01-31 or 2026-01-31T12:00:00Z")
      .optional()
      .describe("only since then"),
    limit: z.coerce.number<number>().int().min(1).max(10_000).default(20).describe("how many"),
  }),
  positional: ["goal"],
  output: z.object({ entries: z.array(entryShape) }),
  run: async (ctx, { goal, since, limit }) => {
    const entries = await listExecutionEntries(ctx.db, {
      goal: goal === undefined ? undefined : (await requireGoal(ctx, goal)).id,
      since: since === undefined ? undefined : (parseMoment(since, ctx.clock.now()) ?? undefined),
      limit,
    });
    return { entries: entries.map((one) => ({ ...one, at: iso(one.at) })) };
  },
  render: ({ entries }) =>
    entries.length === 0
      ? "No cycle has done anything yet. oldhand cycle runs one."
      : entries
          .map(({ at, summary, ms }) => `${at}  ${summary}${ms === null ? "" : ` (${Math.round(ms / 1_000)} s)`}`)
          .join("\n"),
});

export const executionLogOperations = [log] as const;
