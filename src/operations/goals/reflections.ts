import { z } from "zod";
import { findBlockers } from "../../domain/goal/blockers.ts";
import { summariseStrategies } from "../../domain/goal/strategy.ts";
import { iso } from "../../lib/clock.ts";
import { oneLine, plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listReflections } from "../../store/goals/reflections.ts";
import { listStrategyTallies } from "../../store/goals/strategies.ts";
import { listGoals } from "../../store/nouns/goals.ts";
import { listTasks } from "../../store/nouns/tasks.ts";
import { isReflectionDue } from "../../work/goals/reflect/reflect-by-hand.ts";
import { limitInput } from "../shared/shapes.ts";

const reflections = defineOperation({
  name: "reflections",
  summary: "Shows what the last reflections found, how often each strategy worked, and what blocks several goals.",
  effect: "read",
  on: "goal",
  input: z.object({ limit: limitInput(5) }),
  output: z.object({
    due: z.object({ due: z.boolean(), why: z.string() }).describe("if the next cycle reflects, and why"),
    reflections: z.array(
      z.object({ id: z.string(), at: z.string(), cycle: z.string().nullable(), summary: z.string() }),
    ),
    strategies: z.array(
      z.object({
        strategy: z.string(),
        verified: z.number(),
        claimed: z.number(),
        failed: z.number(),
        successRate: z.number().nullable().describe("verified among those that a check has judged; null: none was"),
        flagged: z.boolean().describe("it failed often and was never verified"),
      }),
    ),
    blockers: z.array(
      z.object({
        cause: z.string(),
        kind: z.enum(["credential", "reason"]),
        goals: z.array(z.string()),
        tasks: z.array(z.string()),
      }),
    ),
  }),
  isOwnerOnly: () => true,
  run: async (ctx, { limit }) => {
    const { strategyFailures } = ctx.config.policy.memory;
    const found = await listReflections(ctx.db, { limit });
    const blockers = findBlockers({ goals: await listGoals(ctx.db), tasks: await listTasks(ctx.db) });
    return {
      due: await isReflectionDue(ctx),
      reflections: found.map(({ id, at, cycle, summary }) => ({ id, at: iso(at), cycle, summary })),
      strategies: summariseStrategies(await listStrategyTallies(ctx.db))
        .slice(0, MOST_STRATEGIES)
        .map((one) => ({ ...one, flagged: one.verified === 0 && one.failed >= strategyFailures })),
      blockers: blockers.map((one) => ({ ...one, goals: [...one.goals], tasks: [...one.tasks] })),
    };
  },
  render: ({ due, reflections: found, strategies, blockers }) =>
    [
      `${due.due ? "A reflection is due" : "No reflection is due"}: ${due.why}.`,
      ...found.flatMap(({ at, summary }) => ["", at, ...summary.split("\n").map((line) => `  ${line}`)]),
      ...(strategies.length === 0 ? [] : ["", "Strategies:"]),
      ...strategies.map(
        (one) =>
          `  ${oneLine(one.strategy, 100)}: ${one.verified} verified, ${one.claimed} claimed, ${one.failed} failed${one.flagged ? "; try another way" : ""}`,
      ),
      ...(blockers.length === 0 ? [] : ["", "What blocks:"]),
      ...blockers.map(
        ({ cause, goals, tasks }) => `  ${oneLine(cause)}: ${plural(tasks.length, "task")} of ${goals.join(", ")}`,
      ),
    ].join("\n"),
});

export const reflectionOperations = [reflections] as const;

/** The most used ones. */
const MOST_STRATEGIES = 50;
