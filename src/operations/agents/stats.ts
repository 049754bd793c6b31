import { z } from "zod";
import { readAgentStats } from "../../converse/agents/agent-stats.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { explainEvidence } from "../../domain/route/explain.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listAgentNames } from "../../store/models/agent-calls.ts";
import type { CostSum } from "../../store/models/day-sums.ts";
import type { Db } from "../../store/engine/db.ts";
import { limitInput } from "../shared/shapes.ts";
import { agentsInSight } from "../models/agents-in-sight.ts";
import { agentInput, requireAgentInSight } from "./agent-inputs.ts";

const sumShape = z
  .object({
    of: z.string(),
    interactions: z.number(),
    answered: z.number(),
    failed: z.number(),
    capped: z.number().describe("stopped by a cap before they were sent"),
    cached: z.number(),
    healed: z.number(),
    attempts: z.number().describe("requests that were sent to a provider"),
    cost: z.number().describe("dollars"),
  })
  .meta({ id: "AgentSum" });

const stats = defineOperation({
  name: "agents stats",
  summary: "Shows what an agent did and what it cost, which models do its tasks best, and what it has learned.",
  effect: "read",
  input: z.strictObject({ agent: agentInput }),
  positional: ["agent"],
  output: z.object({
    agent: z.string(),
    interactions: z.number(),
    answered: z.number(),
    failed: z.number(),
    capped: z.number().describe("stopped by a cap before they were sent"),
    cached: z.number(),
    healed: z.number(),
    successRate: z.number().nullable().describe("share of answered calls among those that were answered or failed"),
    cost: z.number().describe("dollars"),
    averageCost: z.number().nullable().describe("dollars per answer"),
    byProvider: z.array(sumShape).describe("without providers that were never called"),
    byTask: z.array(sumShape),
    byDay: z.array(sumShape),
    preferredModels: z
      .array(
        z.object({
          taskType: z.string(),
          complexity: z.string(),
          models: z.array(
            z.object({
              model: z.string(),
              tries: z.number(),
              outcomes: z.number().describe("weight of the outcomes; old ones fade"),
              judged: z.number().describe("the part of it that is not guessed"),
              quality: z.number().nullable().describe("mean of the outcomes"),
              cost: z.number().nullable().describe("mean cost of a call in dollars"),
              ms: z.number().nullable(),
            }),
          ),
        }),
      )
      .describe("what the router has learned about the agent's kinds of tasks, the best model first"),
    learnedPatterns: z.array(
      z.object({
        taskType: z.string(),
        kind: z.string(),
        model: z.string().nullable(),
        text: z.string(),
        calls: z.number(),
      }),
    ),
    evolutionHistory: z.array(
      z.object({
        change: z.number().describe("its number in the journal"),
        at: z.string(),
        taskType: z.string(),
        from: z.string().nullable(),
        to: z.string().nullable(),
        why: z.string().nullable(),
        undone: z.boolean(),
      }),
    ),
  }),
  run: async (ctx, { agent }) => {
    requireAgentInSight(ctx, agent);
    const { total, preferred, patterns, evolution, ...by } = await readAgentStats(ctx, agent);
    if (total.calls === 0) throw await noSuchAgent(ctx.db, agent);
    const judged = total.answered + total.failed;
    return {
      agent,
      interactions: total.calls,
      answered: total.answered,
      failed: total.failed,
      capped: total.capped,
      cached: total.cached,
      healed: total.healed,
      successRate: judged === 0 ? null : total.answered / judged,
      cost: total.cost,
      averageCost: total.answered === 0 ? null : total.cost / total.answered,
      byProvider: by.byProvider.filter(({ attempts, cached }) => attempts > 0 || cached > 0).map(sumOut),
      byTask: by.byTask.map(sumOut),
      byDay: by.byDay.map(sumOut),
      preferredModels: preferred.map(({ taskType, complexity, models }) => ({
        taskType,
        complexity,
        models: models.map((one) => ({
          model: one.model,
          tries: one.tries,
          outcomes: one.outcomes,
          judged: one.judged,
          quality: one.outcomes === 0 ? null : one.quality / one.outcomes,
          cost: one.calls === 0 ? null : one.cost / one.calls,
          ms: one.calls === 0 ? null : one.latencyMs / one.calls,
        })),
      })),
      learnedPatterns: [...patterns],
      evolutionHistory: evolution.map(({ id, at, subject, before, after, undoneBy }) => ({
        change: id,
        at: iso(at),
        taskType: after?.taskType ?? before?.taskType ?? subject,
        from: before?.model ?? after?.insteadOf ?? null,
        to: after?.model ?? null,
        why: after?.why ?? null,
        undone: undoneBy !== null,
      })),
    };
  },
  render: (made) =>
    [
      `${made.agent}: ${plural(made.interactions, "interaction")}, ${formatOutcomes(made)}, ${formatDollars(made.cost)}`,
      ...made.byProvider
        .filter(({ attempts }) => attempts > 0)
        .map((one) => `  ${one.of}: ${plural(one.attempts, "attempt")}, ${formatDollars(one.cost)}`),
      ...made.byTask.map((one) => `  ${one.of}: ${plural(one.interactions, "task")}, ${formatDollars(one.cost)}`),
      ...made.preferredModels.flatMap(({ taskType, models }) => formatBest(taskType, models)),
      ...made.learnedPatterns.map(({ taskType, text }) => `  ${taskType}: ${text}`),
    ].join("\n"),
});

const list = defineOperation({
  name: "agents list",
  summary: "Lists the agents that have called models, the latest first.",
  effect: "read",
  input: z.object({ limit: limitInput(50) }),
  output: z.object({ agents: z.array(z.object({ agent: z.string(), lastDay: z.string().describe("in UTC") })) }),
  run: async (ctx, { limit }) => {
    const seen = agentsInSight(ctx);
    const all = await listAgentNames(ctx.db, limit);
    const own = seen === undefined ? all : all.filter(({ agent }) => seen.includes(agent));
    return { agents: own.map(({ agent, day }) => ({ agent, lastDay: day })) };
  },
  render: ({ agents }) =>
    agents.length === 0
      ? "No agent has called a model."
      : agents.map(({ agent, lastDay }) => `${lastDay}  ${agent}`).join("\n"),
});

export const agentStatsOperations = [stats, list] as const;

/** The parts add up to the interactions. */
function formatOutcomes({ interactions, answered, failed, capped }: Outcomes): string {
  const stopped = interactions - answered - failed - capped;
  return [
    `${answered} answered`,
    `${failed} failed`,
    ...(capped > 0 ? [`${capped} stopped by a cap before they were sent`] : []),
    ...(stopped > 0 ? [`${stopped} stopped by the caller`] : []),
  ].join(", ");
}

type Outcomes = Readonly<Record<"interactions" | "answered" | "failed" | "capped", number>>;

/** Only a model that was judged, and compared with another one, is the best. */
function formatBest(
  taskType: string,
  models: readonly {
    readonly model: string;
    readonly quality: number | null;
    readonly outcomes: number;
    readonly judged: number;
  }[],
): readonly string[] {
  const judged = models.filter((one) => one.judged >= 0.5);
  const [best] = judged;
  if (best === undefined || judged.length < 2) return [];
  return [
    `  ${taskType}: ${best.model} is the best of ${judged.length} models for all agents: quality ${(best.quality ?? 0).toFixed(2)} (${explainEvidence(best)})`,
  ];
}

async function noSuchAgent(db: Db, agent: string): Promise<OldhandError> {
  const names = (await listAgentNames(db, 20)).map((one) => one.agent);
  return new OldhandError("not-found", `the agent "${agent}" has no tasks yet`, {
    hint: names.length === 0 ? "the first task creates an agent" : `known agents: ${names.join(", ")}`,
  });
}

function sumOut(sum: CostSum): z.input<typeof sumShape> {
  const { of, calls, answered, failed, capped, cached, healed, attempts, cost } = sum;
  return { of, interactions: calls, answered, failed, capped, cached, healed, attempts, cost };
}
