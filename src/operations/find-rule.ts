import type { Context } from "../context.ts";
import type { Rule } from "../domain/rule/rule.ts";
import { existingRule } from "../record/decide-rule.ts";
import { getRule } from "../store/rules.ts";
import { wholeId } from "./whole-id.ts";

/** By its id, or by the beginning of it. */
export async function findRule(db: Context["db"], typed: string): Promise<Rule> {
  const id = await wholeId(db, "rules", typed);
  return existingRule(await getRule(db, id), id);
}
