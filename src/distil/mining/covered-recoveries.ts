import type { Event } from "../../domain/event/event.ts";
import { matchesSteps, stripSituation } from "../../domain/rule/matching/matcher.ts";
import { isSpeaking, scopeCovers, type Rule } from "../../domain/rule/rule.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import type { Proposal } from "./proposal.ts";

/** Before the key of a pair of commands. */
export const RECOVERY_SIGNATURE = "recovery ";

export function isRecoveryRule({ signature }: Pick<Rule, "signature">): boolean {
  return signature?.startsWith(RECOVERY_SIGNATURE) === true;
}

type Warning = Pick<Rule, "matcher" | "scope">;
type FailedCall = Pick<Event, "tool" | "input" | "cwd" | "workspace">;

/** True if other rules, one or several together, already speak before most of these calls. */
export function areMostlyWarned(failed: readonly FailedCall[], others: readonly Warning[]): boolean {
  const warned = failed.filter((call) => others.some((other) => warnsOf(other, call)));
  return warned.length * 2 > failed.length;
}

function warnsOf({ matcher, scope }: Warning, call: FailedCall): boolean {
  if (matcher === null || !scopeCovers(scope, call.workspace)) return false;
  return matchesSteps(stripSituation(matcher), parseSteps({ ...call, tool: call.tool ?? "" }), new Set());
}

/**
 * The rule made from pairs of commands before the cause of their failures was known, for each proposal that now speaks
 * before most of its calls, alone or with other rules: one mistake, one rule.
 */
export function findCoveredRecoveries(
  proposals: readonly Proposal[],
  rules: readonly Rule[],
): ReadonlyMap<Proposal, readonly Rule[]> {
  const found = new Map<Proposal, readonly Rule[]>();
  const causes = proposals.filter((one) => one.miner === "failures" && one.level !== "watch");
  const others = [
    ...causes,
    ...rules.filter((rule) => rule.origin === "tool" && isSpeaking(rule) && !isRecoveryRule(rule)),
  ];
  for (const rule of rules.filter(isRecoveryRule)) {
    const failed = rule.evidence.refs.map((ref) => callOf(rule, ref.excerpt));
    if (!areMostlyWarned(failed, others)) continue;
    const [best] = causes
      .map((one) => ({ one, warned: failed.filter((call) => warnsOf(one, call)).length }))
      .filter(({ warned }) => warned > 0)
      .toSorted((a, b) => b.warned - a.warned);
    if (best !== undefined) found.set(best.one, [...(found.get(best.one) ?? []), rule]);
  }
  return found;
}

/** Such a rule cites the commands that failed. */
function callOf({ scope }: Rule, command: string): FailedCall {
  const workspace = scope.kind === "workspace" ? scope.workspace : null;
  return { tool: "bash", input: { command }, cwd: workspace, workspace };
}
