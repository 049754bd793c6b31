import type { Context } from "../context.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { OldhandError } from "../lib/errors.ts";
import { getRule } from "../store/rules.ts";

export async function findRule(db: Context["db"], id: string): Promise<Rule> {
  const rule = await getRule(db, id);
  if (!rule) throw new OldhandError("not-found", `there is no rule ${id}`, { hint: "oldhand rules lists them" });
  return rule;
}
