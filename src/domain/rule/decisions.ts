import { stableJson } from "../../lib/json.ts";
import { Refusal } from "../decision.ts";
import { mergeEvidence } from "./promote.ts";
import { type Level, type Matcher, type Rule, isActive, silentLevel } from "./rule.ts";

/** Puts a rule in force, at the given level or at the default level of an approval. */
export function approveRule(rule: Rule, level?: Level): Rule {
  return {
    ...rule,
    status: "approved",
    level: level === undefined || level === silentLevel ? approvedLevel(rule) : level,
  };
}

/** Approves a rule together with the advice that agents are shown only on a person's word. Null if it has none. */
export function approveWithheldAdvice(rule: Rule): Rule | null {
  const { remedy } = rule.evidence;
  if (remedy?.withheld === undefined) return null;
  const { withheld, ...rest } = remedy;
  const [count] = /\(failed \d+ of \d+\)/.exec(rule.text) ?? [];
  const text = count === undefined ? withheld.sentence : withheld.sentence.replace(/\(failed \d+ of \d+\)/, count);
  return approveRule({ ...rule, text, evidence: { ...rule.evidence, remedy: rest } });
}

/**
 * An approved rule that is silent would be useless. An approved rule with a matcher is shown at the call, not only at
 * session start.
 */
function approvedLevel({ level, matcher }: Rule): Level {
  if (level === "advise" && matcher === null) return level;
  return level === silentLevel || level === "advise" ? "nudge" : level;
}

export function rejectRule(rule: Rule): Rule {
  return { ...rule, status: "rejected", level: "watch" };
}

export function retireRule(rule: Rule): Rule {
  return { ...rule, status: "retired" };
}

/** It says nothing and does not wait for review. That is no approval: a muted candidate was never in force. */
export function muteRule(rule: Rule): Rule {
  return { ...rule, status: "muted", level: silentLevel };
}

export function pinRule(rule: Rule): Rule {
  return { ...rule, pinned: true };
}

export function unpinRule(rule: Rule): Rule {
  return { ...rule, pinned: false };
}

export interface RuleEdit {
  readonly text?: string | undefined;
  readonly level?: Level | undefined;
  /** The new matcher. */
  readonly matcher?: Matcher | undefined;
}

/** The silent level mutes a rule. A level above it, set for a muted rule, puts the rule in force. */
export function editRule(rule: Rule, { text, level, matcher }: RuleEdit): Rule {
  const edited = { ...rule, text: text ?? rule.text, matcher: matcher ?? rule.matcher };
  if (level === undefined) return edited;
  if (level === silentLevel) return isActive(rule) ? muteRule(edited) : { ...edited, level };
  return { ...edited, level, status: rule.status === "muted" ? "approved" : rule.status };
}

/** Merges other rules and their evidence into one. The others are kept with status `merged` and no longer speak. */
export function mergeRules(
  kept: Rule,
  others: readonly Rule[],
  text: string = kept.text,
): { readonly kept: Rule; readonly merged: readonly Rule[] } | Refusal {
  if (others.some((one) => one.id === kept.id))
    return new Refusal("usage", `${kept.id} cannot be merged into itself`, "oldhand rules merge --help");
  const evidence = others.reduce((sum, one) => mergeEvidence(sum, one.evidence), kept.evidence);
  return { kept: { ...kept, text, evidence }, merged: others.map((one) => markMergedInto(one, kept)) };
}

/**
 * Applies the result of maintenance to the current rule. Maintenance judged an earlier state: if someone has since
 * changed the same fields, the status or the pin, the current rule is returned unchanged.
 */
export function rebaseRule(now: Rule, { before, after }: { readonly before: Rule; readonly after: Rule }): Rule {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Rule)[];
  const same = (key: keyof Rule, one: Rule, other: Rule) => stableJson(one[key]) === stableJson(other[key]);
  const changed = keys.filter((key) => !same(key, before, after));
  if ([...changed, "status" as const, "pinned" as const].some((key) => !same(key, now, before))) return now;
  const { doubt: _, ...plain } = now;
  const made: Partial<Rule> = Object.fromEntries(
    Object.entries(after).filter(([key]) => changed.includes(key as keyof Rule)),
  );
  const doubt = changed.includes("doubt") ? after.doubt : now.doubt;
  return { ...plain, ...made, ...(doubt === undefined ? {} : { doubt }) };
}

export function markMergedInto(rule: Rule, kept: Pick<Rule, "id">): Rule {
  return { ...rule, status: "merged", mergedInto: kept.id };
}
