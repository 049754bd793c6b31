import { askFallbackTexts } from "../../attend/hosts-without-ask.ts";
import { z } from "zod";
import { isMuted, isSpeaking } from "../../domain/rule/rule.ts";
import { formatRuleScope } from "./rule-scope-text.ts";
import { changeShape, ruleShape, formatUndoHint } from "../shared/shapes.ts";

export const ruleId = z.string().min(1).describe("the rule's id, as in `oldhand rules`, or its beginning");

/** The result of a decision about a rule. */
export const ruleDecisionShape = z
  .object({ rule: ruleShape, change: changeShape.nullable() })
  .meta({ id: "RuleDecision" });

export function formatRuleDecision({ rule, change: made }: z.infer<typeof ruleDecisionShape>): string {
  if (made === null) return `Nothing to change: ${formatRule(rule)}`;
  const was = made.before as Pick<z.infer<typeof ruleShape>, "status" | "level"> | null;
  const isSilenced =
    was !== null && was.status !== rule.status && (rule.status === "muted" || rule.status === "rejected");
  return [
    formatRule(isSilenced ? { ...rule, levelBefore: was.level } : rule),
    ...formatVoiceChange(rule, made.before),
    ...formatValidity(rule, made.before),
    formatUndoHint([made.id]),
  ].join("\n");
}

/** Tells the user where a rule is valid that was approved just now. */
function formatValidity(rule: z.infer<typeof ruleShape>, before: unknown): readonly string[] {
  const was = before as Pick<z.infer<typeof ruleShape>, "status"> | null;
  if (rule.status !== "approved" || was?.status === "approved" || isMuted(rule)) return [];
  const place = formatRuleScope(rule.scope);
  const where = place === "everywhere" ? "all workspaces" : (place ?? "this folder");
  return [`It is valid in ${where}.`];
}

/** Tells the user when a rule falls silent or starts to speak. */
function formatVoiceChange(rule: z.infer<typeof ruleShape>, before: unknown): readonly string[] {
  const was = before as Pick<z.infer<typeof ruleShape>, "status" | "level"> | null;
  if (isMuted(rule)) return [`It is muted: agents are not shown it, and it does not wait for review.`];
  if (was === null || was.level !== "watch" || !isSpeaking(rule)) return [];
  if (rule.silence !== undefined) return [`It is ${rule.status}, but agents are not shown it now: ${rule.silence}.`];
  return [`It said nothing before; now it speaks, at level ${rule.level}.`];
}

export function formatRule(rule: z.infer<typeof ruleShape>): string {
  const elsewhere = (rule.unasked ?? []).map(
    (one) => `\n  ${one.host} cannot ask: the rule ${askFallbackTexts[one.delivery]}`,
  );
  return `${rule.id}  ${(isMuted(rule) ? "muted" : rule.status).padEnd(9)} ${(rule.levelBefore ?? rule.level).padEnd(6)} ${rule.text}${elsewhere.join("")}`;
}
