import { z } from "zod";
import type { Context } from "../../context.ts";
import { isOwner, parseActor } from "../../domain/actor.ts";
import { checkKinds, describeCheck } from "../../domain/goal/check.ts";
import { commentKinds, type GoalComment } from "../../domain/goal/comment.ts";
import { type Goal, goalStatuses } from "../../domain/goal/goal.ts";
import { taskProofs, type Task, taskStatuses, taskTiers } from "../../domain/goal/task.ts";
import { findBlockReason } from "../../domain/trust/instruction-like.ts";
import { quoted } from "../../domain/trust/quote.ts";
import { originOf } from "../../domain/trust/trust.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { oneLine } from "../../lib/text.ts";
import { listGoals, readGoal } from "../../store/nouns/goals.ts";
import { readTask } from "../../store/nouns/tasks.ts";
import { resolveId } from "../shared/resolve-id.ts";

const countsShape = z
  .object({
    verified: z.number().describe("done, and its check says so"),
    claimed: z.number().describe("done, and only whoever did it says so"),
    open: z.number().describe("pending or in progress"),
    blocked: z.number(),
    dropped: z.number(),
  })
  .meta({ id: "TaskCounts" });

export const goalShape = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    status: z.enum(goalStatuses),
    priority: z.number().describe("1 is the highest"),
    createdBy: z.string(),
    parent: z.string().nullable(),
    dependsOn: z.array(z.string()).describe("goals that must be done before it is begun"),
    folder: z.string().nullable().describe("the repository that its tasks change"),
    reason: z.string().nullable().describe("why it is blocked, paused or dropped"),
    metadata: z.record(z.string(), z.unknown()),
    tasks: countsShape,
    madeAt: z.string(),
    endedAt: z.string().nullable(),
  })
  .meta({ id: "Goal" });

export const taskShape = z
  .object({
    id: z.string(),
    goal: z.string(),
    title: z.string(),
    description: z.string(),
    status: z.enum(taskStatuses),
    proof: z.enum(taskProofs).nullable().describe("verified: its check said so; claimed: only whoever did it said so"),
    check: z.object({ kind: z.enum(checkKinds), says: z.string().describe("what must be true, in words") }),
    base: z.string().nullable().describe("the commit when it was made, on which its check must fail"),
    position: z.number(),
    dependsOn: z.array(z.string()).describe("tasks that must be done before it is begun"),
    tier: z.enum(taskTiers).describe("what it asks of a model"),
    createdBy: z.string(),
    result: z.string().nullable(),
    reason: z
      .string()
      .nullable()
      .describe("why it is blocked, dropped or only claimed, or what its check found missing"),
    metadata: z.record(z.string(), z.unknown()),
    madeAt: z.string(),
    endedAt: z.string().nullable(),
  })
  .meta({ id: "Task" });

export const commentShape = z
  .object({
    id: z.string(),
    at: z.string(),
    goal: z.string(),
    kind: z.enum(commentKinds),
    author: z.string(),
    text: z.string(),
    acknowledgedAt: z.string().nullable().describe("when it was read and taken into account"),
    acknowledgedBy: z.string().nullable(),
    answer: z.string().nullable(),
  })
  .meta({ id: "GoalComment" });

export type GoalOut = z.infer<typeof goalShape>;
export type TaskOut = z.infer<typeof taskShape>;
export type CommentOut = z.infer<typeof commentShape>;

type ViewContext = Pick<Context, "actor">;

export function goalOut(ctx: ViewContext, goal: Goal, tasks: readonly Task[]): GoalOut {
  const shown = newText(ctx, `goal ${goal.id}`, goal.createdBy);
  return {
    ...goal,
    title: newTitle(ctx, goal.createdBy)(goal.title),
    description: shown(goal.description),
    dependsOn: [...goal.dependsOn],
    tasks: countTasks(tasks),
    madeAt: iso(goal.madeAt),
    endedAt: goal.endedAt === null ? null : iso(goal.endedAt),
  };
}

export function taskOut(ctx: ViewContext, task: Task): TaskOut {
  const { check, checkHash: _hash, ...rest } = task;
  const shown = newText(ctx, `task ${task.id}`, task.createdBy);
  return {
    ...rest,
    title: newTitle(ctx, task.createdBy)(task.title),
    description: shown(task.description),
    result: task.result,
    check: { kind: check.kind, says: describeCheck(check) },
    dependsOn: [...task.dependsOn],
    madeAt: iso(task.madeAt),
    endedAt: task.endedAt === null ? null : iso(task.endedAt),
  };
}

export function commentOut(ctx: ViewContext, comment: GoalComment): CommentOut {
  const { acknowledgedAt } = comment;
  return {
    ...comment,
    at: iso(comment.at),
    text: newText(ctx, `comment ${comment.id}`, comment.author)(comment.text),
    acknowledgedAt: acknowledgedAt === null ? null : iso(acknowledgedAt),
  };
}

/** An agent gets what other agents wrote as quoted data; the owner and what the owner wrote need no marks. */
function newText({ actor }: ViewContext, label: string, author: string): (text: string) => string {
  const writer = parseActor(author);
  if (isOwner(actor) || isOwner(writer)) return (text) => text;
  const origin = originOf(writer);
  return (text) =>
    text === "" ? "" : quoted([{ label, origin, text, blocked: findBlockReason({ trust: origin, text }) }]);
}

/** A title of another agent is data in one line: the marks around a text would leave no room for it. */
function newTitle({ actor }: ViewContext, author: string): (text: string) => string {
  const writer = parseActor(author);
  if (isOwner(actor) || isOwner(writer)) return (text) => text;
  return (text) => {
    const reason = findBlockReason({ trust: originOf(writer), text });
    return reason === null ? `"${oneLine(text, 100).replaceAll('"', "'")}"` : `(its title is left out: ${reason})`;
  };
}

function countTasks(tasks: readonly Task[]): z.infer<typeof countsShape> {
  const count = (is: (task: Task) => boolean) => tasks.filter(is).length;
  return {
    verified: count(({ status, proof }) => status === "done" && proof === "verified"),
    claimed: count(({ status, proof }) => status === "done" && proof !== "verified"),
    open: count(({ status }) => status === "pending" || status === "in-progress"),
    blocked: count(({ status }) => status === "blocked"),
    dropped: count(({ status }) => status === "dropped"),
  };
}

/** `2 of 5 tasks done (1 verified, 1 claimed), 1 blocked` */
export function formatCounts({ verified, claimed, open, blocked, dropped }: GoalOut["tasks"]): string {
  const all = verified + claimed + open + blocked;
  if (all === 0)
    return dropped === 0 ? "no tasks yet" : `no tasks; ${dropped} ${dropped === 1 ? "was" : "were"} dropped`;
  const done = verified + claimed;
  const split = done === 0 ? "" : ` (${verified} verified, ${claimed} claimed)`;
  return `${done} of ${all} ${all === 1 ? "task" : "tasks"} done${split}${blocked === 0 ? "" : `, ${blocked} blocked`}`;
}

export function formatGoal(goal: GoalOut): string {
  const because = goal.reason === null ? "" : ` (${goal.reason})`;
  const waits = goal.dependsOn.length === 0 ? "" : `, after ${goal.dependsOn.join(", ")}`;
  return `${goal.id}  ${goal.status}${because}, priority ${goal.priority}${waits}: ${oneLine(goal.title, 100)}\n  ${formatCounts(goal.tasks)}`;
}

export function formatTask(task: TaskOut): string {
  const state = task.status === "done" ? `done, ${task.proof ?? "claimed"}` : task.status;
  const because = task.reason === null ? "" : ` (${oneLine(task.reason, 200)})`;
  const waits = task.dependsOn.length === 0 ? "" : `, after ${task.dependsOn.join(", ")}`;
  return `${task.id}  ${state}${because}${waits}: ${oneLine(task.title, 100)}\n  done when ${task.check.says}`;
}

export function formatComment(comment: CommentOut): string {
  const state = comment.acknowledgedAt === null ? "not read yet" : `read by ${comment.acknowledgedBy ?? "somebody"}`;
  const answer = comment.answer === null ? "" : `\n  answer: ${oneLine(comment.answer, 300)}`;
  return `${comment.id}  ${comment.kind} of ${comment.author}, ${state}: ${oneLine(comment.text, 300)}${answer}`;
}

/** By its id, or the beginning of it. */
export async function requireGoal({ db }: Pick<Context, "db">, typed: string): Promise<Goal> {
  const goal = await readGoal(db, await resolveId(db, "goals", typed));
  if (goal !== null) return goal;
  const some = (await listGoals(db)).slice(0, MOST_NAMED).map(({ id, title }) => `${id} (${oneLine(title, 40)})`);
  throw new OldhandError("not-found", `there is no goal ${typed}`, {
    hint: some.length === 0 ? "oldhand goal add TITLE makes one" : `there are ${some.join(", ")}`,
  });
}

const MOST_NAMED = 5;

export async function requireTask({ db }: Pick<Context, "db">, typed: string): Promise<Task> {
  const task = await readTask(db, await resolveId(db, "tasks", typed));
  if (task !== null) return task;
  throw new OldhandError("not-found", `there is no task ${typed}`, { hint: "oldhand task list shows them" });
}

/** Ids typed as one text, with commas. */
export async function requireGoalIds(ctx: Pick<Context, "db">, typed: string | undefined): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const one of splitList(typed)) ids.push((await requireGoal(ctx, one)).id);
  return ids;
}

export async function requireTaskIds(ctx: Pick<Context, "db">, typed: string | undefined): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const one of splitList(typed)) ids.push((await requireTask(ctx, one)).id);
  return ids;
}

export function splitList(typed: string | undefined): readonly string[] {
  return [
    ...new Set(
      (typed ?? "")
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== ""),
    ),
  ];
}

/** A JSON object, as typed. */
export const metadataInput = z
  .string()
  .refine((text) => readMetadata(text) !== null, 'must be a JSON object such as {"ticket": "A-1"}')
  .optional()
  .describe("a JSON object with whatever else you want to keep with it");

export function readMetadata(text: string | undefined): Readonly<Record<string, unknown>> | null {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
