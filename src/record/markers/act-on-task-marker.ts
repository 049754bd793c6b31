import { formatActor, hostOfAgent, isOwner, parseActor } from "../../domain/actor.ts";
import type { MarkedTask } from "../../domain/goal/marked-task.ts";
import type { Task } from "../../domain/goal/task.ts";
import { OldhandError } from "../../lib/errors.ts";
import { listGoals, readGoal } from "../../store/nouns/goals.ts";
import { listTasks, listTasksOf } from "../../store/nouns/tasks.ts";
import type { GoalContext } from "../goals/goals.ts";
import { addTask, dropTask, editTask, finishTask } from "../goals/tasks.ts";

/** `current` is the goal of the cycle that the agent works for. */
export async function actOnTaskMarker(ctx: GoalContext, marked: MarkedTask, current: string | null): Promise<Task> {
  const goal = marked.goal === null ? current : await findGoal(ctx, marked.goal);
  if (marked.kind === "add") {
    if (goal === null)
      throw new OldhandError("usage", "goal is missing: the id of the goal that the task belongs to", {
        hint: "only in a cycle it is known which goal is meant",
      });
    await requireOpen(ctx, goal);
    const { title, description, check } = marked;
    const given = { goal, title, description, check, dependsOn: [], tier: "execute" as const, metadata: {} };
    return (await addTask(ctx, given)).task;
  }
  const task = await findTask(ctx, marked.task, goal);
  switch (marked.kind) {
    case "done":
      return (await finishTask(ctx, { id: task.id, result: marked.result })).task;
    case "edit": {
      if (isOwner(parseActor(task.createdBy)))
        throw new OldhandError("refused", `the owner made task ${task.id}, so only the owner changes it`);
      const title = marked.title === null ? {} : { title: marked.title };
      const description = marked.description === null ? {} : { description: marked.description };
      return (await editTask(ctx, task, { ...title, ...description })).task;
    }
    case "remove":
      if (!isMadeBySame(ctx, task))
        throw new OldhandError(
          "refused",
          `task ${task.id} was made by ${task.createdBy}, and an agent removes only its own`,
        );
      return (await dropTask(ctx, { id: task.id, reason: marked.reason ?? "its agent removed it" })).task;
  }
}

async function findGoal({ db }: GoalContext, named: string): Promise<string> {
  const goals = await listGoals(db);
  const found =
    goals.find(({ id }) => id === named) ??
    goals.find(({ title }) => title.toLowerCase() === named.toLowerCase()) ??
    onlyOne(goals.filter(({ id }) => named.length >= SHORTEST && id.startsWith(named)));
  if (found === undefined) throw new OldhandError("not-found", `there is no goal ${named}`);
  return found.id;
}

/** By its id, the beginning of its id, or its title; the title within its goal if that is known. */
async function findTask({ db }: GoalContext, named: string, goal: string | null): Promise<Task> {
  const tasks = goal === null ? await listTasks(db) : await listTasksOf(db, goal);
  const found =
    tasks.find(({ id }) => id === named) ??
    onlyOne(tasks.filter(({ title }) => title.toLowerCase() === named.toLowerCase())) ??
    onlyOne(tasks.filter(({ id }) => named.length >= SHORTEST && id.startsWith(named)));
  if (found === undefined)
    throw new OldhandError("not-found", `there is no task ${named}${goal === null ? "" : ` in goal ${goal}`}`);
  return found;
}

function onlyOne<T>(some: readonly T[]): T | undefined {
  return some.length === 1 ? some[0] : undefined;
}

/** `task_` and three more characters. */
const SHORTEST = 8;

async function requireOpen({ db }: GoalContext, id: string): Promise<void> {
  const goal = await readGoal(db, id);
  if (goal?.status === "proposed" || goal?.status === "active") return;
  throw new OldhandError("conflict", `goal ${id} is ${goal?.status ?? "gone"}`);
}

/** An agent keeps its name from one session to the next. */
function isMadeBySame({ actor }: GoalContext, { createdBy }: Task): boolean {
  const maker = parseActor(createdBy);
  if (actor.kind !== "agent" || maker.kind !== "agent") return formatActor(actor) === createdBy;
  return hostOfAgent(actor).host === hostOfAgent(maker).host;
}
