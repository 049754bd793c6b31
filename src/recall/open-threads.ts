import { failureLine } from "../domain/event/call-summary.ts";
import type { Db } from "../store/engine/db.ts";
import { listSessionCalls } from "../store/events/events.ts";
import type { SessionSummary } from "../store/sessions/session-summaries.ts";
import { isThere } from "./calls/outdated-rules.ts";

/** What a session left open, without the failures for want of something that is there by now. */
export async function openThreads(db: Db, summary: SessionSummary): Promise<readonly string[]> {
  const { threads, workspace, host, session: id } = summary;
  if (workspace === null || !threads.some((thread) => thread.startsWith("failed: "))) return threads;
  const calls = (await listSessionCalls(db, { host, id })).slice(-MOST);
  const open: string[] = [];
  for (const thread of threads) {
    const call = calls.findLast((one) => one.error !== null && failureLine(one) === thread);
    const { tool = null, error = null } = call ?? {};
    const isOver =
      call !== undefined &&
      tool !== null &&
      (await isThere([{ call: { ...call, tool }, error: error ?? "" }], workspace));
    if (!isOver) open.push(thread);
  }
  return open;
}

/** A summary tells of no earlier ones. */
const MOST = 1_500;
