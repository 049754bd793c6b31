import type { Context } from "../context.ts";
import { existing } from "../domain/decision.ts";
import type { Change } from "../domain/journal.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { type By, change } from "../store/journal.ts";
import { getRule, ruleNoun } from "../store/rules.ts";

/** One decision (`domain/rule/decisions.ts`) about one rule, whichever way it comes. */
export async function decideRule(
  { db }: Pick<Context, "db">,
  id: string,
  by: By,
  next: (rule: Rule) => Rule,
): Promise<{ readonly rule: Rule; readonly change: Change<Rule> | null }> {
  const made = await change(db, { noun: ruleNoun, id }, by, (rule) => next(existingRule(rule, id)));
  return { rule: made?.after ?? existingRule(await getRule(db, id), id), change: made };
}

export function existingRule(rule: Rule | null, id: string): Rule {
  return existing(rule, `rule ${id}`, "oldhand rules lists them");
}
