import type { Context } from "../context.ts";
import { requireExisting } from "../domain/decision.ts";
import type { Change } from "../domain/journal.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { type Provenance, applyChange } from "../store/journal/journal.ts";
import { getRule, ruleNoun } from "../store/nouns/rules.ts";

/** Applies one decision (`domain/rule/decisions.ts`) to one rule, for all surfaces. */
export async function decideRule(
  { db }: Pick<Context, "db">,
  id: string,
  by: Provenance,
  next: (rule: Rule) => Rule,
): Promise<{ readonly rule: Rule; readonly change: Change<Rule> | null }> {
  const made = await applyChange(db, { noun: ruleNoun, id }, by, (rule) => next(requireRule(rule, id)));
  return { rule: made?.after ?? requireRule(await getRule(db, id), id), change: made };
}

export function requireRule(rule: Rule | null, id: string): Rule {
  return requireExisting(rule, `rule ${id}`, "oldhand rules lists them");
}
