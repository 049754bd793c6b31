import type { Context } from "../../context.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { requireRule } from "../../record/decide-rule.ts";
import { getRule } from "../../store/nouns/rules.ts";
import { isScopeVisible } from "../../domain/trust/visibility.ts";
import { requireVisible } from "../shared/visibility.ts";
import { resolveId } from "../shared/resolve-id.ts";

/** Accepts an id or its beginning. */
export async function findRule(db: Context["db"], typed: string): Promise<Rule> {
  const id = await resolveId(db, "rules", typed);
  return requireRule(await getRule(db, id), id);
}

/** For readers: an agent is shown no rule of another workspace. */
export async function findVisibleRule(ctx: Pick<Context, "db" | "within">, typed: string): Promise<Rule> {
  const rule = await findRule(ctx.db, typed);
  requireVisible(isScopeVisible(ctx, rule.scope), `rule ${rule.id}`);
  return rule;
}
