import { needsSituation, matcherHeads, matchesSteps, stripSituation } from "../../domain/rule/matching/matcher.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import type { ActiveRule, Matcher, Rule } from "../../domain/rule/rule.ts";
import { makeCallGroup, parseSteps } from "../../domain/shell/step.ts";
import { listTriesIn } from "../../store/derived/tries.ts";
import { listWorkspaceCalls, type WorkspaceCall } from "../../store/events/workspace-calls.ts";
import { listLatestOutcomes, readOutcomesOf } from "../../store/shown/rule-sessions.ts";
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
  const [latest] = await listMatchingCallsOfAllTime(db, stripSituation(matcher), workspace);
  return latest !== undefined && !latest.failed && latest.at >= evidence.last;
}

/** In so many sessions in a row a call must have worked to outweigh all that failed before. */
const WORKED_IN_A_ROW = 5;

/** True if a rule from failures warns of calls that all worked in the latest sessions: what was wrong may be mended. */
export async function haveLatestWorked(db: Db, { id, scope, evidence }: Rule): Promise<boolean> {
  if (evidence.remedy === undefined || scope.kind !== "workspace") return false;
  const latest = await listLatestOutcomes(db, id, WORKED_IN_A_ROW);
  return latest.length === WORKED_IN_A_ROW && latest.every(({ attempts, worked }) => worked === attempts);
}

/** When such a call last worked in the workspace; null if none is recorded. */
export async function findLastWorked(
  db: Db,
  { matcher }: Pick<Rule, "matcher">,
  workspace: string,
): Promise<number | null> {
  if (matcher === null) return null;
  const calls = await listMatchingCallsOfAllTime(db, stripSituation(matcher), workspace);
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

/** In how many calls of a command the latest one is looked for. */
const MOST_TRIES = 200;

/**
 * Newest first: those of the latest sessions, else older ones. Sessions that make no such call say nothing about it: what
 * the last one showed stays true.
 */
async function listMatchingCallsOfAllTime(
  db: Db,
  matcher: Matcher,
  workspace: string,
): Promise<readonly Pick<WorkspaceCall, "at" | "failed">[]> {
  const recent = await listMatchingCalls(db, matcher, workspace);
  if (recent.length > 0) return recent;
  const groups =
    matcher.tool === "shell" ? matcherHeads(matcher).map((head) => makeCallGroup("bash", head)) : [matcher.tool];
  const found: Pick<WorkspaceCall, "at" | "failed">[] = [];
  for (const group of groups)
    for (const { event, result } of await listTriesIn(db, group, { workspace, limit: MOST_TRIES }))
      if (result !== "unclear" && matchesSteps(matcher, parseSteps(event), new Set()))
        found.push({ at: event.at, failed: result === "failed" });
  return found.toSorted((a, b) => b.at - a.at);
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
