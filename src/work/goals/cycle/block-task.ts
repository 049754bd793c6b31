import type { CycleChoice } from "../../../domain/goal/choose-action.ts";
import { changeTask } from "../../../record/goals/tasks.ts";
import { cycleWorker } from "./recover-lost.ts";
import { recordEnd, type RunningCycle } from "./running-cycle.ts";

/** A task whose attempts are spent waits for the owner. */
export async function blockSpentTask(
  running: RunningCycle,
  { task, reason }: Extract<CycleChoice, { readonly action: "blocked" }>,
): Promise<readonly string[]> {
  const { clock } = running.ctx;
  const summary = `Blocked "${task.title}": ${reason}`;
  await recordEnd(running, { outcome: "blocked", reason }, { summary }, async (db) => {
    await changeTask({ db, clock, actor: cycleWorker }, { id: task.id, operation: "cycle", note: reason }, (now) =>
      now.status === "pending" || now.status === "in-progress" ? { ...now, status: "blocked", reason } : now,
    );
  });
  return [];
}
