import { z } from "zod";
import type { Context } from "../../context.ts";
import { type MistakeRule, type RepeatedMistake, makeReport } from "../../distil/report/report.ts";
import { verdicts } from "../../domain/proof/proof.ts";
import { activeStatuses, type Level, levels, scopeCovers, type Scope } from "../../domain/rule/rule.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { explainSilence } from "../../recall/calls/explain-silence.ts";
import { locateManifest } from "../../recall/calls/fact-state.ts";
import { getRule } from "../../store/nouns/rules.ts";
import { appendRuleScope } from "../rules/rule-scope-text.ts";
import { backtestShape, limitInput, workspaceInput } from "../shared/shapes.ts";
import { rangeInput, readRange } from "../shared/time-range.ts";

const costShape = z.object({ calls: z.number(), minutes: z.number(), tokens: z.number() }).meta({ id: "Cost" });

const mistakeRuleShape = z
  .object({
    id: z.string().nullable(),
    text: z.string(),
    status: z.string(),
    level: z.enum(levels),
    scope: z.unknown(),
    backtest: backtestShape.nullable(),
    verdict: z.enum(verdicts).nullable().describe("null before its situation arose with it"),
    saved: costShape.extend({ low: costShape, high: costShape }).nullable(),
    silence: z
      .string()
      .nullable()
      .describe("why agents are not shown it now, although its status and level allow it; null if they are"),
  })
  .meta({ id: "MistakeRule" });

const mistakeShape = z
  .object({
    signature: z.string(),
    text: z.string().describe("the latest such error, as its program wrote it; secrets are redacted"),
    tool: z.string(),
    head: z.string().nullable(),
    count: z.number(),
    sessions: z.number(),
    workspaces: z.array(z.string()),
    hosts: z.array(z.string()),
    first: z.string(),
    last: z.string(),
    cost: costShape,
    evidence: z.array(
      z.object({
        ref: z.object({ session: z.string(), seq: z.number() }),
        at: z.string(),
        summary: z.string(),
        error: z.string(),
      }),
    ),
    recovery: z
      .object({
        summary: z.string(),
        times: z.number().describe("how often it, or a call of its form, worked after the mistake"),
        different: z.number().describe("how many different calls of that form these were"),
      })
      .nullable()
      .describe("what worked instead most often"),
    rule: mistakeRuleShape.nullable().describe("the existing rule, or the one that would be proposed"),
    otherRules: z
      .array(mistakeRuleShape)
      .describe("others that cover some of its calls, such as those of other projects"),
    noRule: z.string().nullable().describe("why there is no rule; null if there is one"),
  })
  .meta({ id: "RepeatedMistake" });

async function mistakeOut(ctx: Context, mistake: RepeatedMistake): Promise<z.infer<typeof mistakeShape>> {
  const { evidence, workspaces, hosts, rule } = mistake;
  const otherRules: z.infer<typeof mistakeRuleShape>[] = [];
  for (const one of mistake.otherRules) otherRules.push(await ruleOut(ctx, one));
  return {
    ...mistake,
    rule: rule === null ? null : await ruleOut(ctx, rule),
    evidence: [...evidence],
    workspaces: [...workspaces],
    hosts: [...hosts],
    otherRules,
  };
}

async function ruleOut(ctx: Context, rule: MistakeRule): Promise<z.infer<typeof mistakeRuleShape>> {
  const known = rule.id === null ? null : await getRule(ctx.db, rule.id);
  return { ...rule, silence: known === null ? null : await explainSilence(ctx, known) };
}

export const reportMistakes = defineOperation({
  name: "report",
  summary:
    "Lists repeated mistakes, most expensive first: cost, evidence and what helped. With --away: the letter on your goals since you last looked.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["events"],
  surfaces: ["cli", "http", "mcp"],
  input: z.object({
    limit: limitInput(10),
    workspace: workspaceInput("only failures in this folder"),
    ...rangeInput,
  }),
  output: z.object({
    totals: z.object({ sessions: z.number(), events: z.number(), failures: z.number(), repeated: z.number() }),
    mistakes: z.array(mistakeShape),
  }),
  run: async (ctx, input) => {
    const made = await makeReport(ctx, { ...input, ...readRange(input), locate: locateManifest });
    const mistakes: z.infer<typeof mistakeShape>[] = [];
    for (const mistake of made.mistakes) mistakes.push(await mistakeOut(ctx, mistake));
    return { totals: made.totals, mistakes };
  },
  render: ({ totals, mistakes }) =>
    [
      `${plural(totals.sessions, "session")}, ${plural(totals.events, "event")}, ${plural(totals.failures, "failure")}, ${plural(totals.repeated, "mistake")} made in more than one session`,
      ...(totals.events === 0
        ? [
            "Nothing was observed yet. `oldhand status` says which agents are connected; `oldhand import` imports their history.",
          ]
        : []),
      ...mistakes.flatMap((mistake, index) => [
        "",
        `${String(index + 1).padStart(2)}. ${mistake.text}`,
        `    ${plural(mistake.count, "time")} in ${plural(mistake.sessions, "session")}, at a cost of ${formatCost(mistake.cost)}`,
        ...(mistake.recovery ? [`    → ${mistake.recovery.summary} (${formatWorked(mistake.recovery)})`] : []),
        ...formatRuleLines(mistake),
        ...mistake.evidence.map((one) => `    · ${one.at.slice(0, 16)}  ${one.summary}`),
      ]),
      ...(totals.repeated > mistakes.length
        ? ["", `and ${totals.repeated - mistakes.length} more (oldhand report --limit N)`]
        : []),
    ].join("\n"),
});

function formatWorked({ times, different }: { readonly times: number; readonly different: number }): string {
  return `${different > 1 ? "such calls " : ""}worked ${plural(times, "time")}`;
}

/** The rules against a mistake, or why there is none. */
function formatRuleLines(mistake: z.infer<typeof mistakeShape>): readonly string[] {
  const { rule, noRule, otherRules, workspaces } = mistake;
  // The scope is shown only if the mistake was also made outside it.
  const isPartly = ({ scope }: z.infer<typeof mistakeRuleShape>) =>
    !workspaces.every((workspace) => scopeCovers(scope as Scope, workspace));
  return [
    ...(rule === null
      ? noRule === null
        ? []
        : [`    no rule${otherRules.length > 0 ? " for the others" : ""}: ${noRule}`]
      : [formatRuleLine(rule, isPartly(rule))]),
    ...otherRules.map((one) => formatRuleLine(one, isPartly(one))),
  ];
}

function formatRuleLine(rule: z.infer<typeof mistakeRuleShape>, isPartly: boolean): string {
  const tested = rule.backtest;
  const facts = [
    ...(rule.verdict === null ? [] : [`verdict: ${rule.verdict}`]),
    // The sentence of a mined rule already contains the count.
    ...(tested === null || FAILED.test(rule.text) ? [] : [`failed ${tested.hits} of ${tested.fired}`]),
    ...(rule.saved === null
      ? []
      : [`saved ${formatCost(rule.saved)}, 95 %: ${formatCost(rule.saved.low)} to ${formatCost(rule.saved.high)}`]),
  ];
  const backtested = facts.length === 0 ? "" : ` (${facts.join("; ")})`;
  // The level is explained, because a new user does not know its name.
  const text = isPartly ? appendRuleScope(rule.text, rule.scope) : rule.text;
  const isShown = rule.silence === null && activeStatuses.some((status) => status === rule.status);
  const how = `${rule.level}: ${rule.id === null || isShown ? LEVEL_TEXT[rule.level] : NOT_SHOWN}`;
  if (rule.id === null) return `    not a rule yet (oldhand distil --write makes it one, ${how}): ${text}${backtested}`;
  return `    rule ${rule.id} (${rule.status}; ${how}): ${text}${backtested}`;
}

const FAILED = /\(failed \d+ of \d+\)/;

const NOT_SHOWN = "agents are not shown it now";

const LEVEL_TEXT: Readonly<Record<Level, string>> = {
  watch: "agents are not shown it",
  advise: "agents see it at session start and after the call failed",
  nudge: "agents see it at the call",
  ask: "you are asked before the call",
  deny: "the call is stopped",
};

function formatCost(cost: { readonly calls: number; readonly minutes: number; readonly tokens: number }): string {
  return `${plural(cost.calls, "call")}, ${plural(cost.minutes, "minute")}, ${plural(cost.tokens, "token")}`;
}
