import type { Board } from "./decide.ts";
import type { Goal } from "./goal.ts";
import type { Task } from "./task.ts";

type Become = Pick<Goal, "status" | "reason">;

/**
 * What an active goal has become: done when all its tasks are verified and all its parts done, blocked when all that is left of
 * them is. Null: it goes on. A goal whose last tasks are blocked is not done, and neither is one with tasks that are only
 * claimed: it waits for the owner, and so does what comes after it.
 */
export function settleGoal(goal: Goal, { goals, tasks: all }: Board): Become | null {
  if (goal.status !== "active" && goal.status !== "blocked") return null;
  const tasks = all.filter((task) => task.goal === goal.id && task.status !== "dropped");
  const parts = [
    ...tasks.map((task) => ({ id: task.id, status: task.status, why: findBlock(task, all, []) })),
    ...goals
      .filter(({ parent, status }) => parent === goal.id && status !== "dropped")
      .map(({ id, status, reason }) => ({ id, status, why: status === "blocked" ? explainBlock(id, reason) : null })),
  ];
  const left = parts.filter(({ status }) => status !== "done");
  const why = left.find((one) => one.why !== null)?.why ?? null;
  if (why !== null && left.every((one) => one.why !== null)) return goalBecomes(goal, "blocked", why);
  if (left.length > 0 || parts.length === 0) return goalBecomes(goal, "active", null);
  const claimed = tasks.filter(({ proof }) => proof !== "verified").length;
  return claimed === 0
    ? goalBecomes(goal, "done", null)
    : goalBecomes(
        goal,
        "active",
        `it waits for you: ${claimed} of ${tasks.length} ${tasks.length === 1 ? "task" : "tasks"} ${claimed === 1 ? "is" : "are"} only claimed to be done`,
      );
}

/** Why a task cannot be done as things are; null if it can. */
function findBlock(task: Task, all: readonly Task[], seen: readonly string[]): string | null {
  if (task.status === "blocked") return explainBlock(task.id, task.reason);
  if (task.status !== "pending" || seen.includes(task.id)) return null;
  for (const id of task.dependsOn) {
    const first = all.find((one) => one.id === id);
    if (first?.status === "dropped") return `${task.id} waits for ${id}, which was dropped`;
    const why = first === undefined ? null : findBlock(first, all, [...seen, task.id]);
    if (why !== null) return why;
  }
  return null;
}

function explainBlock(id: string, reason: string | null): string {
  return `${id} is blocked: ${reason ?? "for no stated reason"}`;
}

function goalBecomes(goal: Goal, status: Goal["status"], reason: string | null): Become | null {
  return goal.status === status && goal.reason === reason ? null : { status, reason };
}
