import type { Board } from "./decide.ts";
import type { Goal } from "./goal.ts";

/**
 * What an active goal has become: done when all its tasks and parts are, blocked when all that is left of them is. Null: it
 * goes on. A goal whose last tasks are blocked is not done.
 */
export function settleGoal(goal: Goal, { goals, tasks }: Board): Pick<Goal, "status" | "reason"> | null {
  if (goal.status !== "active" && goal.status !== "blocked") return null;
  const parts = [
    ...tasks.filter((task) => task.goal === goal.id).map(({ id, status, reason }) => ({ id, status, reason })),
    ...goals.filter(({ parent }) => parent === goal.id).map(({ id, status, reason }) => ({ id, status, reason })),
  ].filter(({ status }) => status !== "dropped");
  const left = parts.filter(({ status }) => status !== "done");
  if (parts.length > 0 && left.length === 0) return goalBecomes(goal, "done", null);
  if (left.length > 0 && left.every(({ status }) => status === "blocked")) {
    const [first] = left;
    return goalBecomes(
      goal,
      "blocked",
      `${first?.id ?? "a task"} is blocked: ${first?.reason ?? "for no stated reason"}`,
    );
  }
  return goal.status === "blocked" && left.length > 0 ? goalBecomes(goal, "active", null) : null;
}

function goalBecomes(
  goal: Goal,
  status: Goal["status"],
  reason: string | null,
): Pick<Goal, "status" | "reason"> | null {
  return goal.status === status && goal.reason === reason ? null : { status, reason };
}
