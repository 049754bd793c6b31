import { z } from "zod";
import * as decisions from "../../domain/rule/decisions.ts";
import { findTaughtRisk } from "../../domain/rule/matching/unsayable.ts";
import { levels, type Matcher, type Rule, isSpeaking } from "../../domain/rule/rule.ts";
import { parseNamedCommands } from "../../domain/shell/named-command.ts";
import { previewRule } from "../../distil/report/preview-rule.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { defineOperation } from "../../operation.ts";
import { decideRule } from "../../record/decide-rule.ts";
import { makeProvenance, applyChange } from "../../store/journal/journal.ts";
import { noteAcceptedRisk } from "../../store/nouns/accepted-risks.ts";
import { ruleNoun } from "../../store/nouns/rules.ts";
import { formatRuleDecision, ruleId, formatRule } from "./rule-decision.ts";
import { previewOut, previewShape, formatPreview } from "./rule-preview.ts";
import { formatRuleScope } from "./rule-scope-text.ts";
import { resolveId } from "../shared/resolve-id.ts";
import { changeOut, changeShape, ruleOut, ruleShape, formatUndoHint, workspaceInput } from "../shared/shapes.ts";

const learned = z
  .object({
    rule: ruleShape,
    change: changeShape.nullable().describe("null if nothing was written"),
    preview: previewShape.nullable().describe("commands it would and would not match; null without a command"),
  })
  .meta({ id: "Learned" });

const commandInput = {
  command: z
    .string()
    .optional()
    .describe(
      "the shell command it warns against. Flags match in any order and spelling; wrappers such as `sudo` are ignored.",
    ),
  exact: z.boolean().optional().describe("match only this exact command"),
};

export const editRuleOperation = defineOperation({
  name: "rules edit",
  summary: "Changes a rule's text, level or command.",
  effect: "write",
  input: z.object({
    id: ruleId,
    text: z.string().min(1).optional().describe("the new sentence"),
    level: z.enum(levels).optional().describe("how hard it insists"),
    ...commandInput,
  }),
  positional: ["id"],
  output: learned,
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { text, level } = input;
    const matcher = buildMatcher(input) ?? undefined;
    const made = await decideRule(
      ctx,
      await resolveId(ctx.db, "rules", input.id),
      makeProvenance(ctx, "rules edit"),
      (rule) => decisions.editRule(rule, { text, level, matcher }),
    );
    // A sentence that the owner wrote is the owner's word, whatever it teaches.
    const risk = text === undefined ? null : findTaughtRisk(made.rule);
    if (risk !== null) await noteAcceptedRisk(ctx.db, made.rule.id, risk);
    const preview = matcher === undefined ? null : await previewRule(ctx.db, made.rule);
    return {
      rule: ruleOut(made.rule),
      change: made.change && changeOut(made.change),
      preview: preview && previewOut(preview),
    };
  },
  render: ({ preview, ...made }) =>
    [
      formatRuleDecision(made),
      ...(made.rule.status === "candidate" && !isSpeaking(made.rule)
        ? [`Agents are not shown it until you approve it: oldhand rules approve ${made.rule.id}`]
        : []),
      ...(preview === null ? [] : [formatPreview(preview)]),
    ].join("\n"),
});

export const learnOperation = defineOperation({
  name: "learn",
  on: "rule",
  label: "Write a rule",
  summary: "Adds a rule of your own, in force at once. Shows what it would and would not match.",
  effect: "write",
  input: z.object({
    text: z.string().min(1).describe("the sentence an agent should follow"),
    ...commandInput,
    workspace: workspaceInput("valid only in this folder"),
    level: z.enum(levels).default("nudge").describe("how hard it insists"),
    dryRun: z.boolean().optional().describe("only show what it would match"),
  }),
  positional: ["text"],
  freeText: true,
  output: learned,
  isOwnerOnly: ({ dryRun }) => dryRun !== true,
  run: async (ctx, input) => {
    const now = ctx.clock.now();
    const rule: Rule = {
      id: newId("r", now),
      text: input.text,
      status: "approved",
      level: input.level,
      confidence: 0.8,
      salience: 0.5,
      origin: "owner",
      scope: input.workspace === undefined ? { kind: "global" } : { kind: "workspace", workspace: input.workspace },
      signature: null,
      matcher: buildMatcher(input),
      evidence: { observations: 0, sessions: 0, first: now, last: now, refs: [] },
      pinned: false,
      mergedInto: null,
      createdAt: now,
    };
    const preview = await previewRule(ctx.db, rule);
    const made = input.dryRun
      ? null
      : await applyChange(ctx.db, { noun: ruleNoun, id: rule.id }, makeProvenance(ctx, "learn"), () => rule);
    return {
      rule: ruleOut(made?.after ?? rule),
      change: made && changeOut(made),
      preview: preview && previewOut(preview),
    };
  },
  render: ({ rule, change: made, preview }) =>
    [
      made === null ? `would be approved  ${rule.level.padEnd(6)} ${rule.text}` : formatRule(rule),
      `It is valid in ${formatRuleScope(rule.scope) === "everywhere" ? "all workspaces; add --workspace . for this folder only" : (formatRuleScope(rule.scope) ?? "this folder")}.`,
      made === null ? "(nothing written)" : formatUndoHint([made.id]),
      ...(preview === null
        ? [`Without --command the rule cannot stop a call. Agents see it at session start and with matching prompts.`]
        : [formatPreview(preview)]),
    ].join("\n"),
});

function buildMatcher({
  command,
  exact,
}: {
  readonly command?: string | undefined;
  readonly exact?: boolean | undefined;
}): Matcher | null {
  if (command === undefined) return null;
  if (parseNamedCommands(command).length === 0)
    throw new OldhandError("usage", `--command ${JSON.stringify(command)} names no command`, {
      hint: 'such as --command "git push --force"',
    });
  const text = command.trim();
  return exact ? { tool: "shell", command: text.replace(/\s+/g, " ") } : { tool: "shell", runs: text };
}
