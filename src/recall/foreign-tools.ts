import type { ActiveRule } from "../domain/rule/rule.ts";
import { ANY_EDIT } from "../domain/shell/step.ts";
import type { Db } from "../store/engine/db.ts";
import { listHostsWithFailure, listToolsUsedBy } from "../store/events/tool-hosts.ts";

/**
 * Drops rules about a tool that only other hosts have: an agent that cannot call `read_file` learns nothing
 * from them. At a call such a rule still speaks.
 */
export async function dropForeignToolRules(
  db: Db,
  rules: readonly ActiveRule[],
  host: string,
): Promise<readonly ActiveRule[]> {
  let used: ReadonlySet<string> | null = null;
  const kept: ActiveRule[] = [];
  for (const rule of rules) {
    if (isOfOneTool(rule)) {
      const hosts = await listHostsWithFailure(db, rule.signature);
      if (hosts.length > 0 && !hosts.includes(host)) {
        used ??= await listToolsUsedBy(db, host);
        if (!used.has(rule.matcher.tool)) continue;
      }
    }
    kept.push(rule);
  }
  return kept;
}

type OfOneTool = ActiveRule & { readonly signature: string; readonly matcher: NonNullable<ActiveRule["matcher"]> };

/** True if mined from failures of one specific tool. Every host has a shell and an edit tool. */
function isOfOneTool(rule: ActiveRule): rule is OfOneTool {
  const { signature, matcher, origin } = rule;
  return (
    origin !== "owner" &&
    signature !== null &&
    matcher !== null &&
    matcher.tool !== "shell" &&
    matcher.tool !== ANY_EDIT
  );
}
