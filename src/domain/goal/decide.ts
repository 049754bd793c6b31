import type { Goal } from "./goal.ts";
import type { Task } from "./task.ts";

/** All goals and tasks, as they are in the tables. */
export interface Board {
  readonly goals: readonly Goal[];
  readonly tasks: readonly Task[];
}

/** The rules of the choice, in their order. */
export const choiceRules = ["continue", "next-task", "decompose", "nothing"] as const;
export type ChoiceRule = (typeof choiceRules)[number];

/** What is done next, and the rule that decided it. */
export type Choice =
  | { readonly action: "execute"; readonly rule: "continue" | "next-task"; readonly goal: Goal; readonly task: Task }
  | { readonly action: "decompose"; readonly rule: "decompose"; readonly goal: Goal; readonly task: null }
  | { readonly action: "idle"; readonly rule: "nothing"; readonly goal: null; readonly task: null };

/**
 * Chooses one thing to do. Only open goals count: active, below no halted goal, and with all that they depend on done.
 *
 * 1. A task in progress goes on.
 * 2. Else the goals are looked at in turn, the most urgent first (priority 1), then the oldest. The first that has a ready task
 *    gives it. The first that has no parts and no tasks but dropped ones is decomposed into tasks.
 * 3. Else nothing is done.
 */
export function decide(board: Board): Choice {
  const tasksOf = (goal: Goal) => board.tasks.filter((task) => task.goal === goal.id);
  const open = listOpenGoals(board);
  for (const goal of open) {
    const task = tasksOf(goal).find(({ status }) => status === "in-progress");
    if (task !== undefined) return { action: "execute", rule: "continue", goal, task };
  }
  for (const goal of open) {
    const tasks = tasksOf(goal);
    const task = tasks.filter((one) => isReady(one, tasks)).toSorted((a, b) => a.position - b.position)[0];
    if (task !== undefined) return { action: "execute", rule: "next-task", goal, task };
    const hasParts = board.goals.some(({ parent }) => parent === goal.id);
    if (!hasParts && tasks.every(({ status }) => status === "dropped"))
      return { action: "decompose", rule: "decompose", goal, task: null };
  }
  return { action: "idle", rule: "nothing", goal: null, task: null };
}

/** Why nothing can be done: for each goal that has not ended a line, or a line for each of its open tasks. */
export function explainIdle({ goals, tasks }: Board): readonly string[] {
  const byId = new Map(goals.map((goal) => [goal.id, goal]));
  return goals.flatMap((goal) => {
    if (goal.status === "done" || goal.status === "dropped") return [];
    if (goal.status !== "active") return [`${goal.id} is ${goal.status}${formatReason(goal.reason)}`];
    const halted = findHalted(goal, byId);
    if (halted !== null) return [`${goal.id} is a part of ${halted.id}, which is ${halted.status}`];
    const first = goal.dependsOn.find((id) => byId.get(id)?.status !== "done");
    if (first !== undefined) return [`${goal.id} waits for ${first}`];
    const left = tasks.filter((task) => task.goal === goal.id && task.status !== "done" && task.status !== "dropped");
    return left.length === 0
      ? [goal.reason === null ? `${goal.id} has no task left` : `${goal.id}: ${goal.reason}`]
      : left.map((task) => `${task.id} ${explainTask(task, tasks)}`);
  });
}

function explainTask(task: Task, tasks: readonly Task[]): string {
  const first = task.dependsOn.find((id) => tasks.find((one) => one.id === id)?.status !== "done");
  if (task.status === "pending" && first !== undefined) return `waits for ${first}`;
  return `is ${task.status}${formatReason(task.reason)}`;
}

function formatReason(reason: string | null): string {
  return reason === null ? "" : `: ${reason}`;
}

/** The most urgent first, then the oldest. */
function listOpenGoals({ goals }: Board): readonly Goal[] {
  const byId = new Map(goals.map((goal) => [goal.id, goal]));
  return goals
    .filter(
      (goal) =>
        goal.status === "active" &&
        findHalted(goal, byId) === null &&
        goal.dependsOn.every((id) => byId.get(id)?.status === "done"),
    )
    .toSorted((a, b) => a.priority - b.priority || a.madeAt - b.madeAt || (a.id < b.id ? -1 : 1));
}

/** The nearest goal above that is neither active nor done: nothing below it is worked on. */
function findHalted(goal: Goal, byId: ReadonlyMap<string, Goal>): Goal | null {
  for (let above = byId.get(goal.parent ?? ""); above !== undefined; above = byId.get(above.parent ?? ""))
    if (above.status !== "active" && above.status !== "done") return above;
  return null;
}

function isReady(task: Task, tasks: readonly Task[]): boolean {
  return (
    task.status === "pending" && task.dependsOn.every((id) => tasks.find((one) => one.id === id)?.status === "done")
  );
}
