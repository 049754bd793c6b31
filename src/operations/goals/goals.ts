import { z } from "zod";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Goal, goalStatuses, hasEnded, highestPriority, lowestPriority } from "../../domain/goal/goal.ts";
import { isOwner } from "../../domain/actor.ts";
import { listOperatorActions } from "../../domain/goal/operator-actions.ts";
import type { Change } from "../../domain/journal.ts";
import type { Context } from "../../context.ts";
import { OldhandError } from "../../lib/errors.ts";
import { groupBy } from "../../lib/group-by.ts";
import { resolveTypedWorkspace } from "../../observe/protocol/workspace.ts";
import { defineOperation } from "../../operation.ts";
import { defineAct } from "./act.ts";
import { addGoal, editGoal, type GoalMove, moveGoal } from "../../record/goals/goals.ts";
import { listComments } from "../../store/goals/comments.ts";
import { findUnmergedBranch } from "../../work/goals/cycle/places/find-branch.ts";
import { listGoals } from "../../store/nouns/goals.ts";
import { listTasks, listTasksOf } from "../../store/nouns/tasks.ts";
import { changeOut, changeShape, formatUndoHint } from "../shared/shapes.ts";
import {
  commentOut,
  commentShape,
  formatComment,
  formatGoal,
  formatTask,
  goalOut,
  goalShape,
  metadataInput,
  readMetadata,
  requireGoal,
  requireGoalIds,
  taskOut,
  taskShape,
} from "./goal-shapes.ts";

const goalInput = z.string().min(1).describe("the goal's id, or the beginning of its id");
const priority = z.coerce.number<number>().int().min(highestPriority).max(lowestPriority);
const decided = z.object({ goal: goalShape, change: changeShape.nullable() }).meta({ id: "GoalDecision" });

export const goalAdd = defineAct({
  input: z.object({
    title: z.string().trim().min(1).max(200).describe("what is to be reached, in a sentence"),
    description: z
      .string()
      .trim()
      .max(10_000)
      .optional()
      .describe("what is known about it, and how you will know it is done"),
    priority: priority.default(5).describe("1 is the highest, 10 the lowest"),
    parent: z.string().min(1).optional().describe("the goal that it is a part of"),
    after: z.string().min(1).optional().describe("goals that must be done first, with commas between"),
    folder: z
      .string()
      .min(1)
      .optional()
      .describe("the git repository that its tasks change (default: that of the current folder, if it is in one)"),
    metadata: metadataInput,
  }),
  act: async (ctx, input) => {
    const parent = input.parent === undefined ? null : (await requireGoal(ctx, input.parent)).id;
    const { goal, change } = await addGoal(ctx, {
      title: input.title,
      description: input.description ?? "",
      priority: input.priority,
      parent,
      dependsOn: await requireGoalIds(ctx, input.after),
      folder: input.folder === undefined ? findOwnRepository() : requireRepository(input.folder),
      metadata: readMetadata(input.metadata) ?? {},
    });
    return decision(ctx, goal, change);
  },
});

const add = defineOperation({
  name: "goal add",
  summary: "Adds a goal. A goal that an agent adds is only proposed until you approve it.",
  effect: "write",
  label: "Add a goal",
  input: goalAdd.input,
  positional: ["title"],
  freeText: true,
  shownFirst: ["description", "priority"],
  output: decided,
  example: 'oldhand goal add "Every command has an example" --priority 2',
  run: goalAdd.act,
  render: (out) => formatDecision(out, `oldhand task add ${out.goal.id} TITLE --check COMMAND adds its first task.`),
});

export const goalList = defineAct({
  input: z.object({
    status: z.enum(goalStatuses).optional().describe("only goals of this status"),
    all: z.boolean().optional().describe("also goals that are done or dropped"),
  }),
  act: async (ctx, input) => {
    const goals = await listGoals(ctx.db);
    const allTasks = await listTasks(ctx.db);
    const tasks = groupBy(allTasks, ({ goal }) => goal);
    const isShown = (goal: Goal) =>
      input.status === undefined ? input.all === true || !hasEnded(goal) : goal.status === input.status;
    const shown = goals.filter(isShown);
    return {
      goals: shown.map((goal) => goalOut(ctx, goal, tasks.get(goal.id) ?? [])),
      ended: input.status === undefined ? goals.length - shown.length : 0,
      operatorActions: isOwner(ctx.actor) ? [...listOperatorActions({ goals, tasks: allTasks })] : [],
    };
  },
});

const list = defineOperation({
  name: "goal list",
  summary: "Lists goals, the most urgent first, with how many tasks are verified and how many only claimed.",
  effect: "touches",
  prepare: ["markers"],
  input: goalList.input,
  output: z.object({
    goals: z.array(goalShape),
    ended: z.number().describe("goals that are left out, because they ended"),
    operatorActions: z.array(z.string()).describe("what only the owner can do so that goals go on"),
  }),
  run: goalList.act,
  render: ({ goals, ended, operatorActions }) =>
    [
      ...(goals.length === 0 ? ["There is no such goal. `oldhand goal add TITLE` adds one."] : goals.map(formatGoal)),
      ...section("For you to do", operatorActions),
      ...(ended === 0 ? [] : ["", `${ended} more ended; \`oldhand goal list --all\` shows them too.`]),
    ].join("\n"),
});

export const goalShow = defineAct({
  input: z.object({ goal: goalInput }),
  act: async (ctx, input) => {
    const goal = await requireGoal(ctx, input.goal);
    const tasks = await listTasksOf(ctx.db, goal.id);
    const parts = (await listGoals(ctx.db)).filter(({ parent }) => parent === goal.id);
    const comments = await listComments(ctx.db, { goal: goal.id });
    const partsOut = [];
    for (const one of parts) partsOut.push(goalOut(ctx, one, await listTasksOf(ctx.db, one.id)));
    return {
      goal: goalOut(ctx, goal, tasks),
      tasks: tasks.map((one) => taskOut(ctx, one)),
      parts: partsOut,
      comments: comments.map((one) => commentOut(ctx, one)),
      branch: await findUnmergedBranch(goal),
    };
  },
});

const show = defineOperation({
  name: "goal show",
  summary: "Shows a goal with its tasks and their checks, its parts, and what people said about it.",
  effect: "touches",
  prepare: ["markers"],
  input: goalShow.input,
  positional: ["goal"],
  output: z.object({
    goal: goalShape,
    tasks: z.array(taskShape),
    parts: z.array(goalShape).describe("goals whose parent it is"),
    comments: z.array(commentShape),
    branch: z
      .string()
      .nullable()
      .describe("the branch with its verified and claimed work, if it has commits that its folder does not have"),
  }),
  run: goalShow.act,
  render: ({ goal, tasks, parts, comments, branch }) =>
    [
      formatGoal(goal),
      ...(goal.folder === null ? [] : [`  in ${goal.folder}`]),
      ...(branch === null ? [] : [`  its work so far: git merge ${branch}`]),
      ...(goal.description === "" ? [] : ["", goal.description]),
      ...section("Tasks", tasks.map(formatTask)),
      ...section("Parts", parts.map(formatGoal)),
      ...section("Comments", comments.map(formatComment)),
    ].join("\n"),
});

const edit = defineOperation({
  name: "goal edit",
  summary: "Changes a goal: its title, description, priority, parent, folder, or the goals that come first.",
  effect: "write",
  label: "Edit the goal",
  input: z.object({
    goal: goalInput,
    title: z.string().trim().min(1).max(200).optional().describe("the new title"),
    description: z.string().trim().max(10_000).optional().describe("the new description"),
    priority: priority.optional().describe("1 is the highest, 10 the lowest"),
    parent: z.string().optional().describe("the goal that it is a part of; empty: of none"),
    after: z.string().optional().describe("goals that must be done first, with commas between; empty: none"),
    folder: z.string().optional().describe("the git repository that its tasks change; empty: none"),
  }),
  positional: ["goal"],
  output: decided,
  example: "oldhand goal edit goal_0a1b --priority 1",
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const before = await requireGoal(ctx, input.goal);
    const { goal, change } = await editGoal(ctx, before, {
      ...(input.title === undefined ? {} : { title: input.title }),
      ...(input.description === undefined ? {} : { description: input.description }),
      ...(input.priority === undefined ? {} : { priority: input.priority }),
      ...(input.parent === undefined
        ? {}
        : { parent: input.parent === "" ? null : (await requireGoal(ctx, input.parent)).id }),
      ...(input.after === undefined ? {} : { dependsOn: await requireGoalIds(ctx, input.after) }),
      ...(input.folder === undefined ? {} : { folder: input.folder === "" ? null : requireRepository(input.folder) }),
    });
    return decision(ctx, goal, change);
  },
  render: (out) => formatDecision(out),
});

const approve = defineMove("approve", "Approves a goal that an agent proposed: its tasks may be done.", "Approve");
const resume = defineMove(
  "resume",
  "Resumes a goal that is paused or blocked, or takes one up again that has ended.",
  "Resume",
);
const finish = defineMove("finish", "Ends a goal as done, whatever its tasks say.", "Finish");
const pause = defineHalt("pause", "Pauses a goal: none of its tasks is begun until it is resumed.", "Pause");
const drop = defineHalt("drop", "Ends a goal that is not to be reached any more.", "Drop the goal");

export const goalOperations = [add, list, show, edit, approve, pause, resume, finish, drop] as const;

function defineMove<const Move extends GoalMove>(move: Move, summary: string, label: string) {
  return defineOperation({
    ...moveParts(move),
    ...{ summary, label, effect: "write", output: decided, positional: ["goal"] },
    input: z.object({ goal: goalInput }),
    isOwnerOnly: () => true,
    run: (ctx, { goal }) => runMove(ctx, { goal, move, reason: null }),
    render: (out) => formatDecision(out),
  });
}

/** A move with something to say: why. */
function defineHalt<const Move extends GoalMove>(move: Move, summary: string, label: string) {
  return defineOperation({
    ...moveParts(move),
    ...{ summary, label, effect: "write", output: decided, positional: ["goal"] },
    input: z.object({ goal: goalInput, reason: z.string().trim().min(1).max(500).optional().describe("why") }),
    isOwnerOnly: () => true,
    run: (ctx, { goal, reason }) => runMove(ctx, { goal, move, reason: reason ?? null }),
    render: (out) => formatDecision(out),
  });
}

function moveParts<const Move extends GoalMove>(move: Move) {
  return { name: `goal ${move}` as const, example: `oldhand goal ${move} goal_0a1b` };
}

async function runMove(
  ctx: Context,
  given: { readonly goal: string; readonly move: GoalMove; readonly reason: string | null },
): Promise<z.infer<typeof decided>> {
  const { id } = await requireGoal(ctx, given.goal);
  const { goal, change } = await moveGoal(ctx, { id, move: given.move, reason: given.reason });
  return decision(ctx, goal, change);
}

async function decision(ctx: Context, goal: Goal, change: Change<Goal> | null): Promise<z.infer<typeof decided>> {
  return {
    goal: goalOut(ctx, goal, await listTasksOf(ctx.db, goal.id)),
    change: change === null ? null : changeOut(change),
  };
}

function formatDecision({ goal, change }: z.infer<typeof decided>, next: string | null = null): string {
  return [
    formatGoal(goal),
    ...(next === null ? [] : [next]),
    change === null ? "It was so already; nothing changed." : formatUndoHint([change.id]),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines];
}

/** Tasks are done in worktrees and checked in clean checkouts, which needs git. */
function requireRepository(typed: string): string {
  const folder = resolveTypedWorkspace(typed);
  if (!existsSync(folder)) throw new OldhandError("usage", `the folder ${folder} is not there`);
  if (existsSync(join(folder, ".git"))) return folder;
  throw new OldhandError("usage", `${folder} is not a git repository`, {
    hint: "git init makes it one; work on a task is done on a branch of its own, and checked in a clean checkout",
  });
}

function findOwnRepository(): string | null {
  const folder = resolveTypedWorkspace(".");
  return existsSync(join(folder, ".git")) ? folder : null;
}

/** Null before any attempt was verified or claimed. */
