import { heldOut } from "../domain/rule/hold-out.ts";
import type { Policy } from "../domain/policy.ts";
import type { RuleInPlay } from "../domain/rule/rule.ts";
import type { Db } from "../store/engine/db.ts";
import { ruleMarks } from "../store/rule-sessions.ts";

/** Sessions that do without a rule by lot hear nothing of it, at no moment: they show what happens without. */
export async function notHeldOut(
  world: { readonly db: Db; readonly law: Policy["distil"] },
  rules: readonly RuleInPlay[],
  session: string,
): Promise<readonly RuleInPlay[]> {
  if (rules.length === 0) return rules;
  const marks = await ruleMarks(world.db);
  return rules.filter((rule) => {
    const mark = marks.get(rule.id);
    if (mark?.heldSince == null) return true;
    return !heldOut(
      { id: rule.id, level: rule.level, safety: rule.origin === "owner", expectedOpportunities: mark.recent },
      session,
      world.law,
    );
  });
}
