import type { TaskAttempt } from "../../../domain/goal/attempt.ts";
import type { Cycle } from "../../../domain/goal/cycle.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { changeTask } from "../../../record/goals/tasks.ts";
import { listTaskAttempts, updateOpenAttempt } from "../../../store/goals/attempts.ts";
import { listOpenCycles, updateOpenCycle } from "../../../store/goals/cycles.ts";
import { addExecutionEntry } from "../../../store/goals/execution-log.ts";
import { withJournalLock } from "../../../store/journal/journal.ts";
import { readGoal } from "../../../store/nouns/goals.ts";
import { readTask } from "../../../store/nouns/tasks.ts";
import type { CycleContext, CycleParts } from "./agent/cycle-parts.ts";

export const cycleWorker = { kind: "worker", id: "cycle" } as const;

/**
 * Ends cycles whose process died or was replaced. Only the holder of the lease does it, so none of them is at work. Each loses the
 * attempt that was open, and no more.
 */
export async function recoverLost(ctx: CycleContext, parts: Pick<CycleParts, "commit">): Promise<readonly Cycle[]> {
  const cycles = await listOpenCycles(ctx.db);
  for (const cycle of cycles) {
    const attempts = (await listTaskAttempts(ctx.db)).filter((one) => one.cycle === cycle.id);
    await withJournalLock(ctx.db, (tx) => endLost({ ...ctx, db: tx }, cycle, attempts));
    for (const attempt of attempts.filter(({ state }) => state === "open")) await saveLeft(ctx, parts, attempt);
  }
  return cycles;
}

async function endLost(ctx: CycleContext, cycle: Cycle, attempts: readonly TaskAttempt[]): Promise<void> {
  const { db, clock } = ctx;
  const endedAt = clock.now();
  const reason = `it ended without a word in its step ${cycle.step}`;
  for (const attempt of attempts.filter(({ state }) => state === "open")) {
    if (!(await updateOpenAttempt(db, { ...attempt, state: "lost", reason, endedAt }))) continue;
    const task = await readTask(db, attempt.task);
    if (task?.status !== "in-progress") continue;
    await changeTask({ db, clock, actor: cycleWorker }, { id: task.id, operation: "cycle" }, (now) =>
      now.status === "in-progress" ? { ...now, status: "pending", reason } : now,
    );
  }
  // What was recorded counts, also if the cycle did not come to its end.
  const outcome = cycle.outcome ?? "lost";
  if (
    !(await updateOpenCycle(db, { ...cycle, endedAt, outcome, reason: cycle.outcome === null ? reason : cycle.reason }))
  )
    return;
  await addExecutionEntry(db, {
    ...{ id: `lost_${cycle.id}`, at: endedAt, cycle: cycle.id, action: cycle.action ?? "idle" },
    summary: `Cycle ${cycle.number} ended without a word in its step ${cycle.step}`,
    details: { outcome, step: cycle.step, attempt: cycle.attempt },
    ...{ ms: Math.max(0, endedAt - cycle.beganAt), goal: cycle.goal, task: cycle.task, source: null },
  });
}

/** What a lost attempt left in its worktree is committed on its branch, so that the worktree can be removed later. */
async function saveLeft(
  { db }: Pick<CycleContext, "db">,
  { commit }: Pick<CycleParts, "commit">,
  { goal: id, folder, base, branch }: TaskAttempt,
): Promise<void> {
  const goal = await readGoal(db, id);
  if (goal === null || folder === null || base === null) return;
  try {
    await commit(goal, { folder, base, branch, notes: [] }, "What a cycle left that ended without a word");
  } catch (error) {
    // The worktree is damaged: nothing can be saved, and nothing depends on it.
    if (!(error instanceof OldhandError)) throw error;
  }
}
