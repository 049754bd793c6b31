import type { Context } from "../../context.ts";
import { isSpeaking, type Rule } from "../../domain/rule/rule.ts";
import { keepTrueRules } from "./keep-true-rules.ts";
import { wrongAmong } from "./wrong-rules.ts";

/** Why agents are not shown a rule now, although its status and level allow it; null if they are. */
export async function explainSilence(
  ctx: Pick<Context, "db" | "clock" | "config">,
  rule: Rule,
): Promise<string | null> {
  if (!isSpeaking(rule)) return null;
  const [wrong] = await wrongAmong(ctx, [rule]);
  if (wrong !== undefined)
    return `${wrong.calls - wrong.failed} of ${wrong.calls} calls that it warns against worked; decide with: oldhand review`;
  const workspace = rule.scope.kind === "workspace" ? rule.scope.workspace : null;
  const kept = await keepTrueRules(ctx, [rule], { workspace });
  return kept.length > 0 ? null : "it no longer holds here; it is shown again after the next such failure";
}
