import { failureLine } from "../domain/event/call-summary.ts";
import type { Event } from "../domain/event/event.ts";
import { factId } from "../domain/fact/fact.ts";
import { mayShowFact } from "../domain/fact/may-show.ts";
import type { ActiveRule } from "../domain/rule/rule.ts";
import type { Db } from "../store/engine/db.ts";
import { listSessionCalls } from "../store/events/events.ts";
import type { SessionSummary } from "../store/sessions/session-summaries.ts";
import { isThere } from "./calls/outdated-rules.ts";

/** What else the session is shown at its start. */
interface ShownAtStart {
  readonly rules: readonly ActiveRule[];
  /** Ids of facts. */
  readonly facts: ReadonlySet<string>;
}

/**
 * What a session left open, without failures that are resolved by now, that a rule or a fact covers, or whose rule the
 * owner muted or rejected.
 */
export async function openThreads(
  db: Db,
  summary: SessionSummary,
  shown: ShownAtStart = { rules: [], facts: new Set() },
): Promise<readonly string[]> {
  const { threads, workspace, host, session: id } = summary;
  if (workspace === null || !threads.some((thread) => thread.startsWith("failed: "))) return threads;
  const calls = (await listSessionCalls(db, { host, id })).slice(-MOST);
  const open: string[] = [];
  for (const thread of threads) {
    const call = await findFailedCall(calls, thread);
    const isOver =
      call !== null &&
      ((await isThere([{ call, error: call.error ?? "" }], workspace)) ||
        (await isThereFromAbove(call, workspace)) ||
        (await isAlreadyShown(call, workspace, shown)) ||
        (await isDismissed(db, call, workspace)));
    if (!isOver) open.push(thread);
  }
  return open;
}

/** Calls that are not digested yet are read here, as the summary does. */
async function findFailedCall(
  calls: readonly Event[],
  thread: string,
): Promise<(Event & { readonly tool: string }) | null> {
  const like = calls.filter((one) => thread.startsWith(failureLine({ ...one, error: "" })));
  if (like.length === 0) return null;
  const { readCall } = await import("../domain/cause/read-call.ts");
  const found = like
    .map((one) => (one.outcome === null ? { ...one, ...readCall(one) } : one))
    .findLast((one) => one.error !== null && failureLine(one) === thread);
  return found === undefined || found.tool === null ? null : { ...found, tool: found.tool };
}

async function isDismissed(db: Db, call: Event & { readonly tool: string }, workspace: string): Promise<boolean> {
  const { detectCause } = await import("../domain/cause/cause.ts");
  const cause = detectCause(call, call.error ?? "");
  if (cause === null) return false;
  const { isDismissedFailure } = await import("./calls/dismissed-content.ts");
  return isDismissedFailure(db, { ...call, workspace }, cause.kind);
}

/** True if the command failed only in its folder: what it named is there, seen from the workspace. */
async function isThereFromAbove(call: Event & { readonly tool: string }, workspace: string): Promise<boolean> {
  const error = call.error ?? "";
  if (call.cwd === null || call.cwd === workspace || !mayShowFact(error)) return false;
  const { findFactsInFailure } = await import("../domain/fact/read-failure.ts");
  const { findFromAbove } = await import("./calls/missing-elsewhere.ts");
  const missing = findFactsInFailure(call, error);
  return (
    missing.length > 0 &&
    missing.every(
      ({ kind, subject }) => kind === "missing-path" && findFromAbove({ subject, workspace }, call.cwd) !== null,
    )
  );
}

async function isAlreadyShown(
  call: Event & { readonly tool: string },
  workspace: string,
  { rules, facts }: ShownAtStart,
): Promise<boolean> {
  const error = call.error ?? "";
  if (facts.size > 0 && mayShowFact(error)) {
    const { findFactsInFailure } = await import("../domain/fact/read-failure.ts");
    const shown = findFactsInFailure(call, error).map((one) => factId({ workspace, ...one }));
    if (shown.length > 0 && shown.every((fact) => facts.has(fact))) return true;
  }
  if (rules.length === 0) return false;
  const { matchesSteps } = await import("../domain/rule/matching/matcher.ts");
  const { parseSteps } = await import("../domain/shell/step.ts");
  const steps = parseSteps(call);
  return rules.some(({ matcher }) => matcher !== null && matchesSteps(matcher, steps, new Set()));
}

/** A summary covers no earlier calls. */
const MOST = 1_500;
