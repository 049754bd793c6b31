import { needsSituation, matcherHeads, matchesSteps } from "../../domain/rule/matcher.ts";
import type { Matcher, ActiveRule } from "../../domain/rule/rule.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { listWorkspaceCalls } from "../../store/events/workspace-calls.ts";
import type { Db } from "../../store/engine/db.ts";

/**
 * Rules for everywhere that this workspace speaks against: the call has worked here, and never failed. Other workspaces made
 * such a rule; the first success shows at once that it does not hold here.
 */
export async function findSilencedRules(
  db: Db,
  rules: readonly ActiveRule[],
  workspace: string | null,
): Promise<ReadonlySet<string>> {
  const silenced = new Set<string>();
  if (workspace === null) return silenced;
  for (const { id, scope, origin, matcher } of rules) {
    // What depends on the session cannot be told from a single call.
    if (scope.kind !== "global" || origin === "owner" || matcher === null || needsSituation(matcher)) continue;
    if (await hasOnlyWorked(db, matcher, workspace)) silenced.add(id);
  }
  return silenced;
}

async function hasOnlyWorked(db: Db, matcher: Matcher, workspace: string): Promise<boolean> {
  const filter = { tool: matcher.tool === "shell" ? null : matcher.tool, heads: matcherHeads(matcher) };
  const met = (await listWorkspaceCalls(db, workspace, filter)).filter((call) =>
    matchesSteps(matcher, parseSteps(call), new Set()),
  );
  return met.length > 0 && met.every((call) => !call.failed);
}
