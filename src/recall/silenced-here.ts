import { asksSituation, matcherHeads, matches } from "../domain/rule/matcher.ts";
import type { Matcher, RuleInPlay } from "../domain/rule/rule.ts";
import { stepsOf } from "../domain/shell/step.ts";
import { callsHere } from "../store/calls-here.ts";
import type { Db } from "../store/engine/db.ts";

/**
 * Rules for everywhere that this workspace speaks against: the call has worked here, and never failed. Other workspaces made
 * such a rule; the first success shows at once that it does not hold here.
 */
export async function silencedHere(
  db: Db,
  rules: readonly RuleInPlay[],
  workspace: string | null,
): Promise<ReadonlySet<string>> {
  const silenced = new Set<string>();
  if (workspace === null) return silenced;
  for (const { id, scope, origin, matcher } of rules) {
    // What depends on the session cannot be told from a single call.
    if (scope.kind !== "global" || origin === "owner" || matcher === null || asksSituation(matcher)) continue;
    if (await onlyWorked(db, matcher, workspace)) silenced.add(id);
  }
  return silenced;
}

async function onlyWorked(db: Db, matcher: Matcher, workspace: string): Promise<boolean> {
  const asked = { tool: matcher.tool === "shell" ? null : matcher.tool, heads: matcherHeads(matcher) };
  const met = (await callsHere(db, workspace, asked)).filter((call) => matches(matcher, stepsOf(call), new Set()));
  return met.length > 0 && met.every((call) => !call.failed);
}
