import type { CycleChoice } from "../../../domain/goal/choose-action.ts";
import { changeGoal } from "../../../record/goals/goals.ts";
import { changeTask } from "../../../record/goals/tasks.ts";
import { cycleWorker } from "./recover-lost.ts";
import { recordEnd, type RunningCycle } from "./running-cycle.ts";

/** A task whose attempts are spent waits for the owner, and so does a goal that nobody could plan. */
export async function blockSpent(
  running: RunningCycle,
  { goal, task, reason }: Extract<CycleChoice, { readonly action: "blocked" }>,
): Promise<readonly string[]> {
  const { clock } = running.ctx;
  const summary = `Blocked "${(task ?? goal).title}": ${reason}`;
  await recordEnd(running, { outcome: "blocked", reason }, { summary }, async (db) => {
    if (task === null)
      await changeGoal({ db, clock, actor: cycleWorker }, { id: goal.id, operation: "cycle", note: reason }, (now) =>
        now.status === "active" ? { ...now, status: "blocked", reason } : now,
      );
    else
      await changeTask({ db, clock, actor: cycleWorker }, { id: task.id, operation: "cycle", note: reason }, (now) =>
        now.status === "pending" || now.status === "in-progress" ? { ...now, status: "blocked", reason } : now,
      );
  });
  return [];
}
