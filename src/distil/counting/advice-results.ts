import { isOfValues } from "../../domain/cause/blame.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import { existenceKinds } from "../../domain/cause/rule-cause.ts";
import { type Advice, followsAdvice } from "../../domain/remedy/advised-call.ts";
import { type AdvisedSession, findAdviceFailures } from "../../domain/remedy/advice-record.ts";
import { matcherHeads, matchesSteps, stripSituation } from "../../domain/rule/matching/matcher.ts";
import { type AdviceFailures, scopeCovers, type Matcher, type Scope } from "../../domain/rule/rule.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { makeCallGroup, parseSteps } from "../../domain/shell/step.ts";
import type { Db } from "../../store/engine/db.ts";
import { listTries, type TriedEvent } from "../../store/derived/tries.ts";

interface AdvisedBy {
  readonly matcher: Matcher;
  readonly scope: Scope;
}

/** Calls read of a group, the latest. */
const MOST_CALLS = 200;

/** The failures of the call that a rule advises, if it no longer helps in the rule's scope; else null. */
export async function readAdviceFailures(db: Db, advice: Advice, by: AdvisedBy): Promise<AdviceFailures | null> {
  const bySession = new Map<string, AdvisedSession>();
  const byWorkspace = new Map<string, AdvisedSession>();
  const calls: TriedEvent[] = [];
  for (const group of listAdvisedGroups(advice, by.matcher)) calls.push(...(await listTries(db, group, MOST_CALLS)));
  for (const { event, result } of calls.toSorted((a, b) => a.event.id - b.event.id)) {
    if (result === "unclear" || !scopeCovers(by.scope, event.workspace)) continue;
    if (!followsAdvice(advice, findShellText(event.input) ?? "")) continue;
    // The rule warns against this call, so it does not advise it.
    if (matchesSteps(stripSituation(by.matcher), parseSteps(event), new Set())) continue;
    const session = `${event.host} ${event.session}`;
    const came = result === "worked" ? { failed: false, isGone: false } : judgeFailure(event, advice);
    if (came === null) continue;
    // The order of the map is the order of the sessions' latest calls.
    bySession.delete(session);
    bySession.set(session, came);
    byWorkspace.set(event.workspace ?? "", came);
  }
  // What fails in one workspace may help in all others.
  const [failed, worked] = [true, false].map(
    (is) => [...byWorkspace.values()].filter((one) => one.failed === is).length,
  );
  return (failed ?? 0) < (worked ?? 0) ? null : findAdviceFailures([...bySession.values()]);
}

/** The groups with calls that a rule may advise: of the advised command, or of the rule's own commands. */
export function listAdvisedGroups({ head, heads }: Advice, matcher: Matcher): readonly string[] {
  const all = head === null ? [...matcherHeads(matcher), ...heads] : heads;
  return [...new Set(all)].map((one) => makeCallGroup("bash", one));
}

/** Null if the failure says nothing about the advice: another command of the line failed, or a state outside of it. */
function judgeFailure(event: TriedEvent["event"], { head }: Advice): AdvisedSession | null {
  const cause = detectCause(event, event.error ?? "");
  if (cause?.blamed != null && head !== null && cause.blamed !== head) return null;
  if (cause !== null && !isOfValues(cause.kind)) return null;
  return { failed: true, isGone: cause !== null && existenceKinds.has(cause.kind) };
}
