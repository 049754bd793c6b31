import { inlineCode } from "../../domain/text/tool-name.ts";
import { z } from "zod";
import { listHostsWithoutAsk } from "../../attend/hosts-without-ask.ts";
import { isOff, loadConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import { factId, factKinds } from "../../domain/fact/fact.ts";
import { describeFact } from "../../domain/fact/fact-message.ts";
import { requireGranted } from "../../domain/decision.ts";
import * as decisions from "../../domain/rule/decisions.ts";
import { explainDelivery } from "../../domain/rule/delivery/hold-reason.ts";
import { scopeCovers, type Level, levels, ruleStatuses, type Rule } from "../../domain/rule/rule.ts";
import { countUnexplained, unexplainedLines } from "../../domain/rule/unknown-cause.ts";
import { formatRuleText } from "../../domain/rule/wording/rule-message.ts";
import { backtestOf } from "../../distil/report/backtest.ts";
import { countRules } from "../../distil/counting/count-rules.ts";
import { judgedRules } from "../../distil/counting/rule-counts.ts";
import { iso } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { findRulesAgainstCall } from "../../recall/calls/before-call.ts";
import { explainSilence, explainWatch } from "../../recall/calls/explain-silence.ts";
import { explainOwnDecision, findLevelBefore } from "./own-decision.ts";
import { resolveTypedWorkspace, resolvePath } from "../../observe/protocol/workspace.ts";
import {
  makeProvenance,
  applyChange,
  applyAllChanges,
  listChangesOf,
  forgetSubject,
  planChange,
  withJournalLock,
} from "../../store/journal/journal.ts";
import { listOpenOverrides, overrideNoun } from "../../store/nouns/overrides.ts";
import { listRules, ruleNoun } from "../../store/nouns/rules.ts";
import { readHoldEvidence } from "../../store/shown/rule-sessions.ts";
import { listRuleVersions } from "../../store/shown/rule-versions.ts";
import { verdictText } from "./effect-text.ts";
import { findRule, findVisibleRule } from "./find-rule.ts";
import { ruleDecisions } from "./decide.ts";
import { editRuleOperation, learnOperation } from "./learn.ts";
import { ruleId, formatRule } from "./rule-decision.ts";
import { finishForgetting, forgottenShape, formatForgotten } from "../shared/forgotten.ts";
import { sortLocalFirst, appendRuleScope } from "./rule-scope-text.ts";
import { requireFolder } from "../shared/visibility.ts";
import { changeOut, changeShape, formatRuleProvenance, ruleOut, ruleShape, workspaceInput } from "../shared/shapes.ts";
import { rangeInput, readRange, touchesRange } from "../shared/time-range.ts";

const list = defineOperation({
  name: "rules list",
  summary: "Lists rules with status, level and evidence.",
  effect: "read",
  byWorkspace: true,
  input: z.object({
    status: z.enum(ruleStatuses).optional().describe("only rules with this status"),
    workspace: workspaceInput("only rules that are valid in this folder"),
    since: rangeInput.since.describe("only those with evidence from this time on"),
    until: rangeInput.until.describe("only those with evidence up to this time"),
  }),
  output: z.array(ruleShape),
  run: async (ctx, input) => {
    const range = readRange(input);
    const rules = (await listRules(ctx.db))
      .filter((rule) => input.status === undefined || rule.status === input.status)
      .filter((rule) => input.workspace === undefined || scopeCovers(rule.scope, input.workspace))
      .filter(({ evidence }) => touchesRange(range, evidence.first, evidence.last));
    const listed = await addRuleStats(ctx, rules);
    const found: z.infer<typeof ruleShape>[] = [];
    for (const [at, one] of listed.entries()) found.push(await addSilence(ctx, one, rules[at]));
    return found;
  },
  render: (rules, input) => {
    if (rules.length > 0)
      return [
        ...sortLocalFirst(rules.filter((rule) => rule.status !== "candidate" || rule.waits)).map((rule) =>
          formatRule({
            ...rule,
            text: `${appendRuleScope(rule.text, rule.scope)}${shortVerdict(rule)}${rule.silence === undefined ? "" : " (silent now: oldhand rules why ID says why)"}`,
          }),
        ),
        ...unexplainedLines(countUnexplained(rules)),
      ].join("\n");
    const isNarrow = Object.values(input ?? {}).some((value) => value !== undefined);
    return isNarrow
      ? "No rule matches."
      : "No rules yet. After `oldhand install`, oldhand learns them from what your agents do.";
  },
});

const show = defineOperation({
  name: "rules show",
  summary: "Shows one rule in full.",
  effect: "read",
  input: z.object({ id: ruleId }),
  positional: ["id"],
  output: ruleShape,
  run: async (ctx, input) => {
    const rule = await findVisibleRule(ctx, input.id);
    const [one] = await addRuleStats(ctx, [rule]);
    return { ...(one as z.input<typeof ruleShape>), ...(await describeAtCall(ctx, rule)) };
  },
  render: (rule) =>
    `${formatRule(rule)}\n  matcher  ${JSON.stringify(rule.matcher)}\n  scope    ${JSON.stringify(rule.scope)}\n  origin   ${rule.origin}${formatEvidence(rule)}${formatAtCall(rule)}${effectLine(rule)}`,
});

const why = defineOperation({
  name: "rules why",
  summary: "Shows why a rule exists: the calls it came from, and every change since.",
  effect: "read",
  input: z.object({ id: ruleId }),
  positional: ["id"],
  output: z.object({
    rule: ruleShape,
    because: z.array(
      z.object({
        ref: z.object({ session: z.string(), seq: z.number() }),
        host: z.string(),
        at: z.string(),
        tool: z.string(),
        summary: z.string(),
      }),
    ),
    override: z.string().nullable().describe("when the owner let the next call pass, if no call has used it yet"),
    changes: z.array(changeShape.extend({ by: z.string() })),
  }),
  run: async (ctx, input) => {
    const { db } = ctx;
    const rule = await findVisibleRule(ctx, input.id);
    const versions = (await listRuleVersions(db, [rule])).get(rule.id) ?? [];
    const atACall = await describeAtCall(ctx, rule);
    const [open] = await listOpenOverrides(db, rule.id);
    const effect = (await judgedRules(ctx, [rule])).effects.get(rule.id) ?? null;
    return {
      rule: { ...ruleOut(rule, { backtest: null, effect, versions }), ...atACall },
      because: rule.evidence.refs.map((ref) => ({
        ref: { session: ref.session, seq: ref.seq },
        host: ref.host,
        at: iso(ref.at),
        tool: rule.matcher?.tool ?? "",
        summary: ref.excerpt,
      })),
      override: open === undefined ? null : iso(open.createdAt),
      changes: (await listChangesOf(db, "rule", rule.id)).map((one) => ({ ...changeOut(one), by: one.actor })),
    };
  },
  render: ({ rule, because, changes, override: passed }) =>
    [
      `${formatRule(rule)}${formatAtCall(rule)}${formatWithheld(rule)}${effectLine(rule)}`,
      ...(passed === null ? [] : [`  the owner lets the next call pass it, once (since ${passed})`]),
      because.length === 0 && rule.origin === "owner"
        ? "written by its owner"
        : `because${formatRuleProvenance(rule) === null ? "" : `, on ${formatRuleProvenance(rule)}`}`,
      ...because.map((one) => `  ${one.at}  ${one.host} ${one.ref.session}#${one.ref.seq}  ${one.summary}`),
      ...(rule.evidence.purged === undefined
        ? []
        : [`  and ${plural(rule.evidence.purged, "cited call")}, since forgotten`]),
      "changes",
      ...changes.map((one) => `  ${one.id}  ${one.at}  ${one.by}  ${one.summary}`),
    ].join("\n"),
});

/** How a rule is delivered at a call, or why it is silent now; empty if its level or status says so. */
async function describeAtCall(
  ctx: Context,
  rule: Rule,
): Promise<Pick<z.infer<typeof ruleShape>, "atCall" | "silence" | "levelBefore">> {
  await countRules(ctx, [rule]);
  const silence =
    (await explainOwnDecision(ctx.db, rule)) ?? (await explainSilence(ctx, rule)) ?? (await explainWatch(ctx, rule));
  if (silence !== null) return { silence, ...(await findLevelBefore(ctx.db, rule)) };
  const found = explainDelivery(rule, await readHoldEvidence(ctx.db, rule.id), ctx.config.policy);
  return found === null ? {} : { atCall: found };
}

function formatAtCall({ atCall, level, matcher, silence }: z.infer<typeof ruleShape>): string {
  if (silence !== undefined) return `\n  agents are not shown it now: ${silence}`;
  if (matcher !== null && level === "watch") return "\n  not shown at a call: its level is watch";
  if (matcher !== null && level === "advise")
    return "\n  not shown at a call; shown at session start and after the call failed";
  if (atCall === undefined) return "";
  const how = atCall.delivery === "hold" ? "holds the first call of a session" : "shown as a note";
  return `\n  ${how}: ${atCall.reason}`;
}

function formatWithheld({ id, withheld }: z.infer<typeof ruleShape>): string {
  if (withheld === undefined) return "";
  return `\n  what worked: ${inlineCode(withheld.line)}; agents are not shown it: ${withheld.reason}\n  agents would read: ${withheld.sentence}\n  to teach it: oldhand rules approve ${id} ${withheld.switches}`;
}

async function addSilence(
  ctx: Context,
  out: z.infer<typeof ruleShape>,
  rule: Rule | undefined,
): Promise<z.infer<typeof ruleShape>> {
  const silence = rule === undefined ? null : await explainSilence(ctx, rule);
  const before = await findLevelBefore(ctx.db, out);
  return silence === null ? { ...out, ...before } : { ...out, ...before, silence };
}

/** The verdict in the words of `rules effect`; empty until the rule had an opportunity. */
function effectLine({ effect }: z.infer<typeof ruleShape>): string {
  return effect === null || effect.after.opportunities === 0 ? "" : `\n  effect   ${verdictText(effect)}`;
}

function shortVerdict({ effect }: z.infer<typeof ruleShape>): string {
  return effect === null || effect.after.opportunities === 0 ? "" : ` (verdict: ${effect.verdict})`;
}

/** Rules with their counts. */
async function addRuleStats(ctx: Context, rules: readonly Rule[]): Promise<z.infer<typeof ruleShape>[]> {
  const { about, effects } = await judgedRules(ctx, rules);
  const unasking = rules.some((rule) => rule.level === "ask") ? await listHostsWithoutAsk(ctx) : [];
  return rules.map((rule) => {
    const { totals, versions } = about.get(rule.id) ?? { totals: null, versions: [] };
    return ruleOut(rule, {
      backtest: totals === null ? null : backtestOf(totals),
      effect: effects.get(rule.id) ?? null,
      versions,
      unasked:
        rule.level === "ask" ? unasking.map(({ host, instead }) => ({ host, delivery: instead(rule.origin) })) : [],
    });
  });
}

const merge = defineOperation({
  name: "rules merge",
  label: "Merge others into it",
  summary: "Merges other rules into one. They are marked as merged and no longer shown.",
  effect: "write",
  input: z.object({
    id: ruleId.describe("the rule to keep"),
    others: z.array(z.string()).min(1).describe("the rules to merge into it"),
    text: z.string().min(1).optional().describe("a new text for the kept rule"),
  }),
  positional: ["id", "others"],
  output: z.object({ rule: ruleShape, merged: z.array(z.string()), changes: z.array(changeShape) }),
  isOwnerOnly: () => true,
  run: (ctx, input) =>
    withJournalLock(ctx.db, async (db) => {
      const others: Rule[] = [];
      const rule = await findRule(db, input.id);
      for (const one of input.others) others.push(await findRule(db, one));
      const { kept, merged } = requireGranted(decisions.mergeRules(rule, others, input.text));
      const because = makeProvenance(ctx, "rules merge");
      const changes = await applyAllChanges(
        db,
        [kept, ...merged].map((one) => planChange(ruleNoun, one.id, because, () => one)),
      );
      return { rule: ruleOut(kept), merged: merged.map((one) => one.id), changes: changes.map(changeOut) };
    }),
  render: ({ rule, merged }) => `${formatRule(rule)}\nmerged: ${merged.join(", ")}`,
});

const override = defineOperation({
  name: "override",
  on: "rule",
  label: "Let it be passed once",
  summary: "Bypasses a rule for one call: the next call it would ask about, hold or deny runs. This is journalled.",
  effect: "write",
  input: z.object({ id: ruleId, reason: z.string().optional().describe("why") }),
  positional: ["id"],
  output: z.object({ override: z.string(), rule: z.string(), change: changeShape.nullable() }),
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const rule = await findRule(ctx.db, input.id);
    const now = ctx.clock.now();
    return withJournalLock(ctx.db, async (tx) => {
      const [open] = await listOpenOverrides(tx, rule.id);
      if (open !== undefined) return { override: open.id, rule: rule.id, change: null };
      const made = { id: newId("o", now), rule: rule.id, reason: input.reason ?? null, createdAt: now, used: null };
      const of = { noun: overrideNoun, id: made.id };
      const written = await applyChange(tx, of, makeProvenance(ctx, "override", made.reason), () => made);
      return { override: made.id, rule: rule.id, change: written && changeOut(written) };
    });
  },
  render: (one) =>
    `The next call that rule ${one.rule} would ask about, hold or deny may run, once (${one.override}${one.change === null ? "; it was open already" : ""}).`,
});

const forgetRule = defineOperation({
  name: "rules forget",
  summary: "Deletes a rule and its past texts. This cannot be undone.",
  effect: "destroys",
  surfaces: ["cli"],
  input: z.object({ id: ruleId }),
  positional: ["id"],
  output: forgottenShape,
  run: async (ctx, input) => {
    const { id: named } = await findRule(ctx.db, input.id);
    await forgetSubject(ctx.db, { noun: ruleNoun, id: named }, makeProvenance(ctx, "rules forget"));
    return finishForgetting(ctx, named);
  },
  render: formatForgotten,
});

const match = defineOperation({
  name: "match",
  summary: "Shows the rules that warn against a call, with their levels; if there are none, the facts shown before it.",
  effect: "read",
  surfaces: ["http", "mcp"],
  input: z.object({
    tool: z.string().default("Bash").describe("the tool's name"),
    command: z.string().optional().describe("the shell command"),
    input: z.record(z.string(), z.unknown()).optional().describe("the tool's input, for other tools"),
    cwd: z.string().optional().describe("the folder it would run in; this one if omitted"),
    host: z.string().optional().describe("the host of the session; some rules depend on earlier calls"),
    session: z.string().optional().describe("the session that would make the call; if omitted, all rules are shown"),
  }),
  positional: ["command"],
  output: z.object({
    rules: z.array(z.object({ id: z.string(), level: z.enum(levels), text: z.string() })),
    facts: z
      .array(z.object({ id: z.string(), kind: z.enum(factKinds), text: z.string() }))
      .describe("facts shown before the call, if no rule is"),
    off: z.boolean().describe("whether oldhand is off in that folder, so that nothing is shown"),
  }),
  run: async (ctx, input) => {
    const cwd = resolvePath(input.cwd ?? ctx.within?.[0] ?? ".");
    requireFolder(ctx, resolveTypedWorkspace(cwd));
    const call = {
      host: input.host ?? "",
      session: input.session || null,
      workspace: resolveTypedWorkspace(cwd),
      cwd,
      tool: input.tool,
      input: input.input ?? { command: input.command ?? "" },
      agent: null,
    };
    const rules = await findRulesAgainstCall(ctx, call);
    const isWarned = rules.some((rule) => rule.level !== "advise");
    const facts = isWarned ? [] : await (await import("../../recall/calls/facts-before-call.ts")).factsAbout(ctx, call);
    return {
      facts: facts.map((fact) => ({ id: factId(fact), kind: fact.kind, text: describeFact(fact, cwd) })),
      rules: rules.map((rule) => ({ id: rule.id, level: rule.level, text: formatRuleText(rule) })),
      off: isOff(loadConfig({ home: ctx.config.home }).off, resolveTypedWorkspace(cwd)),
    };
  },
  isNegative: ({ rules, facts }) => rules.length + facts.length === 0,
  render: ({ rules, facts, off }) =>
    [
      ...(rules.length === 0
        ? ["No rule warns against it."]
        : rules.map((rule) => `${rule.level}  ${rule.text}${formatLevelAtCall(rule.level)}`)),
      ...facts.map((fact) => `fact  ${fact.text}`),
      ...(off
        ? ["oldhand is off there: agents are shown nothing until `oldhand on` (for one folder: --workspace DIR)."]
        : []),
    ].join("\n"),
});

/** Prevents the reader from expecting an `advise` rule before a call. */
function formatLevelAtCall(level: Level): string {
  return level === "advise" ? "\n  (shown at session start and after the call failed, not before it)" : "";
}

export const ruleOperations = [
  list,
  show,
  why,
  ...ruleDecisions,
  editRuleOperation,
  merge,
  forgetRule,
  override,
  learnOperation,
  match,
] as const;

function formatEvidence(rule: z.infer<typeof ruleShape>): string {
  const from = formatRuleProvenance(rule);
  return from === null ? "" : `\n  learned  on ${from}`;
}
