import type { Context } from "../context.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { existingRule } from "../record/decide-rule.ts";
import { getRule } from "../store/rules.ts";

export async function findRule(db: Context["db"], id: string): Promise<Rule> {
  return existingRule(await getRule(db, id), id);
}
