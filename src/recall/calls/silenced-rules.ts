import { needsSituation, matcherHeads, matchesSteps, stripSituation } from "../../domain/rule/matching/matcher.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import type { ActiveRule, Matcher, Rule } from "../../domain/rule/rule.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { listWorkspaceCalls, type WorkspaceCall } from "../../store/events/workspace-calls.ts";
import { readOutcomesOf } from "../../store/shown/rule-sessions.ts";
import type { Db } from "../../store/engine/db.ts";

/**
 * Learned rules that are valid everywhere, but not here: such a call has worked in some workspace, and none has failed
 * in this one. The rule comes from other workspaces; one success is enough to silence it in all that have no failure.
 */
export async function findSilencedRules(
  db: Db,
  rules: readonly ActiveRule[],
  workspace: string | null,
): Promise<ReadonlySet<string>> {
  const silenced = new Set<string>();
  if (workspace === null) return silenced;
  for (const { id, scope, origin, matcher, signature } of rules) {
    if (scope.kind !== "global" || origin === "owner" || matcher === null) continue;
    if (await isSilentHere(db, { id, matcher, signature }, workspace)) silenced.add(id);
  }
  return silenced;
}

async function isSilentHere(
  db: Db,
  { id, matcher, signature }: Pick<ActiveRule, "id" | "signature"> & { readonly matcher: Matcher },
  workspace: string,
): Promise<boolean> {
  // What a user does not want may work.
  const counted = isFromUserWords({ signature }) ? null : await readOutcomesOf(db, id, workspace);
  const isDisproved = counted !== null && counted.hasWorked && !counted.hasFailedHere;
  // A rule that depends on earlier calls cannot be judged from a single call.
  if (needsSituation(matcher)) return isDisproved;
  return isDisproved ? !(await hasFailed(db, matcher, workspace)) : hasOnlyWorked(db, matcher, workspace);
}

/** True if the latest call in the workspace that the rule matches worked, after those that failed. */
export async function hasWorkedSince(
  db: Db,
  { matcher, evidence }: Pick<Rule, "matcher" | "evidence">,
  workspace: string,
): Promise<boolean> {
  if (matcher === null) return false;
  const [latest] = await listMatchingCalls(db, stripSituation(matcher), workspace);
  return latest !== undefined && !latest.failed && latest.at >= evidence.last;
}

/** When such a call last worked in the workspace; null if none is recorded. */
export async function findLastWorked(
  db: Db,
  { matcher }: Pick<Rule, "matcher">,
  workspace: string,
): Promise<number | null> {
  if (matcher === null) return null;
  const calls = await listMatchingCalls(db, stripSituation(matcher), workspace);
  return calls.find((call) => !call.failed)?.at ?? null;
}

/** A failure that was not counted yet. */
async function hasFailed(db: Db, matcher: Matcher, workspace: string): Promise<boolean> {
  return (await listMatchingCalls(db, matcher, workspace)).some((call) => call.failed);
}

async function hasOnlyWorked(db: Db, matcher: Matcher, workspace: string): Promise<boolean> {
  const met = await listMatchingCalls(db, matcher, workspace);
  return met.length > 0 && met.every((call) => !call.failed);
}

/** Newest first. Calls of which nobody knows whether they worked are left out. */
async function listMatchingCalls(db: Db, matcher: Matcher, workspace: string): Promise<readonly WorkspaceCall[]> {
  const filter = { tool: matcher.tool === "shell" ? null : matcher.tool, heads: matcherHeads(matcher) };
  const calls = await listWorkspaceCalls(db, workspace, filter);
  const matching = calls.filter((call) => matchesSteps(matcher, parseSteps(call), new Set()));
  if (matching.every(({ failed, text }) => failed || text === null)) return matching;
  const { judgeReportedSuccess } = await import("../../domain/cause/hidden-failure.ts");
  return matching.flatMap((call) => {
    const came = call.failed ? "failed" : judgeReportedSuccess(call, call.text);
    return came === "unclear" ? [] : [{ ...call, failed: came === "failed" }];
  });
}
