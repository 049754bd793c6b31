import { z } from "zod";
import { thisMachine } from "../../config.ts";
import { distil } from "../../distil/mining/distil.ts";
import { miners } from "../../distil/mining/proposal.ts";
import { suggestSkills } from "../../distil/report/suggest-skills.ts";
import { levels, origins } from "../../domain/rule/rule.ts";
import { parseTime } from "../../lib/clock.ts";
import { plural } from "../../lib/text.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import { defineOperation } from "../../operation.ts";
import { backtestShape, limitInput, timeInput } from "../shared/shapes.ts";

const distilRules = defineOperation({
  name: "distil",
  label: "Look for new rules",
  summary: "Looks for rules in recorded events. Without --write it only shows them.",
  effect: "write",
  byWorkspace: true,
  prepare: ["events"],
  input: z.object({
    write: z.boolean().default(false).describe("write the rules"),
    only: z.array(z.enum(miners)).optional().describe("run only these miners"),
    since: timeInput.optional().describe("only events from this time on"),
    minCount: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe("least number of occurrences; each miner has its own default"),
    limit: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe("most rules to show, most frequent first"),
    workspace: z.string().optional().describe("only events of this folder"),
    global: z.boolean().default(false).describe("propose rules for all workspaces, whatever their evidence"),
  }),
  output: z.object({
    written: z.number(),
    proposals: z.array(
      z.object({
        id: z.string(),
        miner: z.enum(miners),
        standing: z.enum(["new", "renewed", "known"]),
        text: z.string(),
        level: z.enum(levels),
        confidence: z.number(),
        origin: z.enum(origins),
        matcher: z.unknown(),
        scope: z.unknown(),
        signature: z.string().nullable(),
        backtest: backtestShape.nullable(),
      }),
    ),
    notes: z.array(z.string()).describe("entries of skill registries that could not be used"),
  }),
  run: async (ctx, input) => {
    const { written, proposals, notes } = await distil(ctx, {
      write: input.write,
      only: input.only,
      since: input.since === undefined ? undefined : (parseTime(input.since) ?? undefined),
      minCount: input.minCount,
      limit: input.limit,
      workspace: input.workspace === undefined ? undefined : resolveTypedWorkspace(input.workspace),
      global: input.global,
    });
    return {
      written,
      proposals: proposals.map((one) => ({
        id: one.id,
        miner: one.miner,
        standing: one.standing,
        text: one.text,
        level: one.level,
        confidence: one.confidence,
        origin: one.origin,
        matcher: one.matcher,
        scope: one.scope,
        signature: one.signature,
        backtest: one.backtest,
      })),
      notes: [...notes],
    };
  },
  render: ({ written, proposals, notes }) =>
    [
      ...proposals.map((one) => `${one.standing.padEnd(7)} ${one.level.padEnd(6)} ${one.text}`),
      proposals.length === 0
        ? "No new rule: no failure or correction is frequent enough yet."
        : written > 0
          ? `Wrote ${plural(written, "rule")}.`
          : proposals.every((one) => one.standing === "known")
            ? "All of these are already rules (oldhand rules)."
            : "Nothing was written; add --write to save new and updated rules.",
      ...notes.map((note) => `Skipped: ${note}`),
    ].join("\n"),
});

const suggest = defineOperation({
  name: "suggest skills",
  summary: "Lists frequent commands that no skill covers; each could become a skill.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["events"],
  input: z.object({
    days: z.coerce.number<number>().int().min(1).max(3_650).optional().describe("how far back to look"),
    minCount: z.coerce.number<number>().int().min(1).max(1_000_000).optional().describe("least number of runs"),
    workspace: z.string().optional().describe("only runs in this folder"),
    limit: limitInput(10),
  }),
  output: z.object({
    suggestions: z.array(
      z.object({ command: z.string(), times: z.number(), sessions: z.number(), example: z.string() }),
    ),
  }),
  run: async (ctx, input) => {
    const found = await suggestSkills(ctx, {
      userHome: thisMachine().userHome,
      days: input.days,
      minCount: input.minCount,
      workspace: input.workspace === undefined ? undefined : resolveTypedWorkspace(input.workspace),
      limit: input.limit,
    });
    return { suggestions: found.map((one) => ({ ...one })) };
  },
  isNegative: ({ suggestions }) => suggestions.length === 0,
  render: ({ suggestions }) =>
    suggestions.length === 0
      ? "No frequent command is without a skill."
      : suggestions
          .map(
            (one) =>
              `${one.command}  ${plural(one.times, "time")} in ${plural(one.sessions, "session")}, such as: ${one.example}`,
          )
          .join("\n"),
});

export const distilOperations = [distilRules, suggest] as const;
