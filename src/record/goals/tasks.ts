import { formatActor, isOwner } from "../../domain/actor.ts";
import { type Check, findCheckFault, hashCheck } from "../../domain/goal/check.ts";
import { findLoop } from "../../domain/goal/goal.ts";
import type { Task } from "../../domain/goal/task.ts";
import type { Change } from "../../domain/journal.ts";
import { redact } from "../../domain/redact/redact.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { listTaskAttempts } from "../../store/goals/attempts.ts";
import { readGoal } from "../../store/nouns/goals.ts";
import { listTasksOf, readTask, taskNoun } from "../../store/nouns/tasks.ts";
import { type GoalContext, moveGoal } from "./goals.ts";
import { readCommit } from "./read-commit.ts";
import { reopenGoals, settleGoals } from "./settle-goals.ts";

export interface NewTask extends Pick<
  Task,
  "goal" | "title" | "description" | "check" | "dependsOn" | "tier" | "metadata"
> {}

/** The check is bound now: what is done is judged by what was asked, not by what came out. */
export async function addTask(ctx: GoalContext, given: NewTask): Promise<{ task: Task; change: Change<Task> }> {
  const goal = await readGoal(ctx.db, given.goal);
  if (goal === null) throw new OldhandError("not-found", `there is no goal ${given.goal}`);
  // Only the owner reopens a goal: an agent that adds tasks to what is done would never be done.
  if (goal.status === "dropped" || (goal.status === "done" && !isOwner(ctx.actor)))
    throw new OldhandError("conflict", `goal ${goal.id} is ${goal.status}`, {
      hint: `oldhand goal resume ${goal.id} takes it up again`,
    });
  requireCheck(given.check, goal.folder);
  const now = ctx.clock.now();
  const tasks = await listTasksOf(ctx.db, goal.id);
  const task: Task = {
    ...given,
    title: redact(given.title),
    description: redact(given.description),
    id: newId("task", now),
    status: "pending",
    proof: null,
    checkHash: hashCheck(given.check),
    base: goal.folder === null ? null : await readCommit(goal.folder),
    position: Math.max(0, ...tasks.map(({ position }) => position)) + 1,
    createdBy: formatActor(ctx.actor),
    result: null,
    reason: null,
    madeAt: now,
    endedAt: null,
  };
  requireSoundTasks([...tasks, task], task);
  const change = await applyChange(
    ctx.db,
    { noun: taskNoun, id: task.id },
    makeProvenance(ctx, "task add"),
    () => task,
  );
  if (change === null) throw new Error("a new task changed nothing");
  if (goal.status === "done") await moveGoal(ctx, { id: goal.id, move: "resume", reason: null });
  await settleGoals(ctx, goal.id);
  return { task, change };
}

/** `next` gets the task as it is under the lock. Null: nothing changed. */
export async function changeTask(
  ctx: GoalContext,
  { id, operation, note }: { readonly id: string; readonly operation: string; readonly note?: string | undefined },
  next: (task: Task) => Task,
): Promise<{ task: Task; change: Change<Task> | null }> {
  const change = await applyChange(
    ctx.db,
    { noun: taskNoun, id },
    makeProvenance(ctx, operation, note ?? null),
    (before) => {
      if (before === null) throw new OldhandError("not-found", `there is no task ${id}`);
      return next(before);
    },
  );
  const task = await readTask(ctx.db, id);
  if (task === null) throw new OldhandError("not-found", `there is no task ${id}`);
  if (change === null) return { task, change };
  // What was done because of this task is not done any more.
  if (change.before?.status === "done" && task.status !== "done") await reopenGoals(ctx, task.goal);
  await settleGoals(ctx, task.goal);
  return { task, change };
}

/** What the owner can set on a task that exists. */
export type TaskEdit = Partial<Pick<Task, "title" | "description" | "check" | "dependsOn" | "tier" | "position">>;

export async function editTask(
  ctx: GoalContext,
  task: Task,
  edit: TaskEdit,
): Promise<{ task: Task; change: Change<Task> | null }> {
  const goal = await readGoal(ctx.db, task.goal);
  if (edit.check !== undefined) {
    requireCheck(edit.check, goal?.folder ?? null);
    if (task.status === "done")
      throw new OldhandError("conflict", `task ${task.id} is done; its check is part of how that is known`);
  }
  const tasks = await listTasksOf(ctx.db, task.goal);
  requireSoundTasks([...tasks.filter(({ id }) => id !== task.id), { ...task, ...edit }], { ...task, ...edit });
  const bound = edit.check === undefined ? {} : { checkHash: hashCheck(edit.check) };
  return changeTask(ctx, { id: task.id, operation: "task edit" }, (before) => ({ ...before, ...edit, ...bound }));
}

/** Whoever did it says so. That is a claim, unless the check is a person's yes and the owner says it. */
export async function finishTask(
  ctx: GoalContext,
  { id, result }: { readonly id: string; readonly result: string | null },
): Promise<{ task: Task; change: Change<Task> | null }> {
  const isYes = isOwner(ctx.actor);
  return changeTask(ctx, { id, operation: "task done" }, (task) => {
    if (task.status === "dropped")
      throw new OldhandError("conflict", `task ${id} is dropped`, {
        hint: `oldhand task retry ${id} takes it up again`,
      });
    if (task.status === "done" && (task.proof === "verified" || !isYes || task.check.kind !== "person")) return task;
    const proof = isYes && task.check.kind === "person" ? "verified" : "claimed";
    const said = result === null ? task.result : redact(result);
    return { ...task, status: "done", proof, result: said, reason: null, endedAt: ctx.clock.now() };
  });
}

export async function dropTask(
  ctx: GoalContext,
  { id, reason }: { readonly id: string; readonly reason: string | null },
): Promise<{ task: Task; change: Change<Task> | null }> {
  return changeTask(ctx, { id, operation: "task drop", note: reason ?? undefined }, (task) => {
    if (task.status === "done") throw new OldhandError("conflict", `task ${id} is done`);
    return task.status === "dropped" ? task : { ...task, status: "dropped", reason, endedAt: ctx.clock.now() };
  });
}

/** Takes up a task again that is blocked, dropped or done. Its earlier attempts do not count any more. */
export async function retryTask(ctx: GoalContext, id: string): Promise<{ task: Task; change: Change<Task> | null }> {
  const attemptsFrom = Math.max(0, ...(await listTaskAttempts(ctx.db, { task: id })).map(({ number }) => number));
  return changeTask(ctx, { id, operation: "task retry" }, (task) => {
    if (task.status === "in-progress") throw new OldhandError("conflict", `task ${id} is in progress`);
    const metadata = attemptsFrom === 0 ? task.metadata : { ...task.metadata, attemptsFrom };
    return { ...task, status: "pending", proof: null, result: null, reason: null, endedAt: null, metadata };
  });
}

function requireCheck(check: Check, folder: string | null): void {
  const fault = findCheckFault(check);
  if (fault !== null) throw new OldhandError("usage", fault);
  if (folder !== null || check.kind === "person" || check.kind === "reviewer") return;
  throw new OldhandError("usage", "this goal has no folder, so nothing can be checked there", {
    hint: "set one with oldhand goal edit GOAL --folder PATH, or check with --person or --review",
  });
}

/** A task waits only for tasks of its own goal, and not for itself. */
function requireSoundTasks(tasks: readonly Task[], task: Task): void {
  const known = new Map(tasks.map((one) => [one.id, one]));
  const unknown = task.dependsOn.find((id) => !known.has(id));
  if (unknown !== undefined) throw new OldhandError("not-found", `there is no task ${unknown} in its goal`);
  const circle = findLoop(task.id, (id) => known.get(id)?.dependsOn ?? []);
  if (circle !== null)
    throw new OldhandError("usage", `these tasks would wait for each other: ${circle.join(" waits for ")}`);
}
