import type { Cycle } from "../../../domain/goal/cycle.ts";
import { redact } from "../../../domain/redact/redact.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { isStoppedError } from "../../../lib/stopped.ts";
import { changeTask } from "../../../record/goals/tasks.ts";
import { listTaskAttempts, updateOpenAttempt } from "../../../store/goals/attempts.ts";
import { addExecutionEntry } from "../../../store/goals/execution-log.ts";
import { withJournalLock } from "../../../store/journal/journal.ts";
import type { CycleRow } from "./cycle-fence.ts";
import type { CycleContext } from "./agent/cycle-parts.ts";
import { FolderGone } from "./places/goal-repository.ts";
import { cycleWorker } from "./recover-lost.ts";

/**
 * Ends a cycle in whose step something failed: its attempt failed, or does not count if somebody stopped the cycle or moved the
 * goal's folder away. Without a store
 * nothing can be written, and a bug is none of this: then the next cycle finds this one lost.
 */
export async function failCycle(ctx: CycleContext, row: CycleRow, error: unknown): Promise<Cycle> {
  const isStopped = isStoppedError(error) || ctx.signal.aborted;
  if (!isStopped && (!(error instanceof OldhandError) || error.code.startsWith("store-"))) throw error;
  const { id, number, attempt: attemptId, task, goal, action, step, beganAt } = row.now();
  const isGone = error instanceof FolderGone;
  const reason = isStopped
    ? `it was stopped in its step ${step}`
    : `${redact((error as Error).message)}${isGone && goal !== null ? `; oldhand goal edit ${goal} --folder PATH` : ""}`;
  const outcome = isStopped || isGone ? "deferred" : "failed";
  await withJournalLock(ctx.db, async (tx) => {
    const endedAt = ctx.clock.now();
    await row.write({ endedAt, outcome, reason }, tx);
    const open = (await listTaskAttempts(tx, { state: "open" })).find((one) => one.id === attemptId);
    if (open !== undefined) await updateOpenAttempt(tx, { ...open, state: outcome, reason, endedAt });
    if (open !== undefined)
      await changeTask({ db: tx, clock: ctx.clock, actor: cycleWorker }, { id: open.task, operation: "cycle" }, (now) =>
        now.status === "in-progress" ? { ...now, status: "pending", reason } : now,
      );
    await addExecutionEntry(tx, {
      ...{ id: `log_${id}`, at: endedAt, cycle: id, action: action ?? "idle" },
      summary: `Cycle ${number} ended in its step ${step}: ${reason}`,
      details: { outcome, step, attempt: attemptId },
      ...{ ms: Math.max(0, endedAt - beganAt), goal, task, source: null },
    });
  });
  return row.now();
}
