import type { Context } from "../../context.ts";
import { locateRemedy } from "../../domain/rule/locate-remedy.ts";
import type { ActiveRule } from "../../domain/rule/rule.ts";
import type { Audience } from "./sayable-rules.ts";

/**
 * The rules that are still true, as they are shown: with a call, or to an agent in a folder, where a script of another
 * package is none.
 */
export async function keepRulesOfHere(
  ctx: Pick<Context, "db" | "clock" | "config">,
  given: readonly ActiveRule[],
  to: Audience,
): Promise<readonly ActiveRule[]> {
  const rules = await (await import("./keep-true-rules.ts")).keepTrueRules(ctx, given, to);
  const { call, cwd = null, workspace } = to;
  if (call !== undefined) {
    return rules.map((rule) => locateRemedy(rule, call.cwd));
  }
  if (cwd === null || workspace === null || rules.length === 0) return rules;
  const { isOfOtherHome } = await import("./script-home.ts");
  return rules.filter(({ matcher }) => !isOfOtherHome(matcher, cwd, workspace));
}
