import { z } from "zod";
import type { Context } from "../../context.ts";
import { taskStatuses, type Task, taskTiers } from "../../domain/goal/task.ts";
import type { Change } from "../../domain/journal.ts";
import { OldhandError } from "../../lib/errors.ts";
import { defineOperation } from "../../operation.ts";
import { defineAct } from "./act.ts";
import { addTask, dropTask, editTask, finishTask, retryTask } from "../../record/goals/tasks.ts";
import { plural } from "../../lib/text.ts";
import { verifyTask } from "../../work/goals/proof/verify-task.ts";
import { listTasks, listTasksOf } from "../../store/nouns/tasks.ts";
import { changeOut, changeShape, formatUndoHint } from "../shared/shapes.ts";
import { checkInputs, noCheckHint, readCheck } from "./check-input.ts";
import {
  formatTask,
  metadataInput,
  readMetadata,
  requireGoal,
  requireTask,
  requireTaskIds,
  taskOut,
  taskShape,
} from "./goal-shapes.ts";

const taskInput = z.string().min(1).describe("the task's id, or the beginning of its id");
const decided = z.object({ task: taskShape, change: changeShape.nullable() }).meta({ id: "TaskDecision" });

export const taskAdd = defineAct({
  input: z.object({
    goal: z.string().min(1).describe("the goal's id, or the beginning of its id"),
    title: z.string().trim().min(1).max(200).describe("what is to be done, in a sentence"),
    description: z.string().trim().max(10_000).optional().describe("what whoever does it must know"),
    ...checkInputs,
    after: z.string().min(1).optional().describe("tasks of the goal that must be done first, with commas between"),
    tier: z.enum(taskTiers).default("execute").describe("what it asks of a model"),
    metadata: metadataInput,
  }),
  act: async (ctx, input) => {
    const check = readCheck(input);
    if (check === null) throw new OldhandError("usage", "a task needs a check", { hint: noCheckHint });
    const { task, change } = await addTask(ctx, {
      goal: (await requireGoal(ctx, input.goal)).id,
      title: input.title,
      description: input.description ?? "",
      check,
      dependsOn: await requireTaskIds(ctx, input.after),
      tier: input.tier,
      metadata: readMetadata(input.metadata) ?? {},
    });
    return decision(ctx, task, change);
  },
});

const add = defineOperation({
  name: "task add",
  summary: "Adds a task to a goal, with the check that decides whether it is done.",
  effect: "write",
  on: "goal",
  label: "Add a task",
  input: taskAdd.input,
  positional: ["goal", "title"],
  freeText: true,
  shownFirst: ["description", "check", "test", "file", "person"],
  output: decided,
  example: 'oldhand task add goal_0a1b "Write the examples" --check "npm test"',
  run: taskAdd.act,
  render: (out) => formatDecision(out),
});

const list = defineOperation({
  name: "task list",
  summary: "Lists the tasks of a goal, or of all goals, with what decides whether each is done.",
  effect: "touches",
  prepare: ["markers"],
  input: z.object({
    goal: z.string().min(1).optional().describe("only tasks of this goal"),
    status: z.enum(taskStatuses).optional().describe("only tasks of this status"),
  }),
  positional: ["goal"],
  output: z.object({ tasks: z.array(taskShape) }),
  run: async (ctx, input) => {
    const tasks =
      input.goal === undefined
        ? await listTasks(ctx.db)
        : await listTasksOf(ctx.db, (await requireGoal(ctx, input.goal)).id);
    const shown = tasks.filter(({ status }) => input.status === undefined || status === input.status);
    return { tasks: shown.map((one) => taskOut(ctx, one)) };
  },
  render: ({ tasks }) =>
    tasks.length === 0
      ? "There is no such task. `oldhand task add GOAL TITLE --check COMMAND` adds one."
      : tasks.map(formatTask).join("\n"),
});

const edit = defineOperation({
  name: "task edit",
  summary: "Changes a task: its title, description, check, place, or the tasks that come first.",
  effect: "write",
  label: "Edit the task",
  input: z.object({
    task: taskInput,
    title: z.string().trim().min(1).max(200).optional().describe("the new title"),
    description: z.string().trim().max(10_000).optional().describe("the new description"),
    ...checkInputs,
    after: z.string().optional().describe("tasks that must be done first, with commas between; empty: none"),
    tier: z.enum(taskTiers).optional().describe("what it asks of a model"),
    position: z.coerce.number<number>().int().min(1).optional().describe("its place among the tasks of its goal"),
  }),
  positional: ["task"],
  output: decided,
  example: 'oldhand task edit task_0a1b --check "npm test"',
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const before = await requireTask(ctx, input.task);
    const check = readCheck(input);
    const { task, change } = await editTask(ctx, before, {
      ...(input.title === undefined ? {} : { title: input.title }),
      ...(input.description === undefined ? {} : { description: input.description }),
      ...(check === null ? {} : { check }),
      ...(input.after === undefined ? {} : { dependsOn: await requireTaskIds(ctx, input.after) }),
      ...(input.tier === undefined ? {} : { tier: input.tier }),
      ...(input.position === undefined ? {} : { position: input.position }),
    });
    return decision(ctx, task, change);
  },
  render: (out) => formatDecision(out),
});

export const taskDone = defineAct({
  input: z.object({
    task: taskInput,
    result: z.string().trim().min(1).max(2_000).optional().describe("what came of it, in a sentence"),
  }),
  act: async (ctx, input) => {
    const { id } = await requireTask(ctx, input.task);
    const { task, change } = await finishTask(ctx, { id, result: input.result ?? null });
    return decision(ctx, task, change);
  },
});

const done = defineOperation({
  name: "task done",
  summary: "Says that a task is done. That is a claim, unless its check is a person's yes and you give it.",
  effect: "write",
  label: "Say it is done",
  input: taskDone.input,
  positional: ["task", "result"],
  freeText: true,
  output: decided,
  example: 'oldhand task done task_0a1b "the page is online"',
  run: taskDone.act,
  render: (out) => formatDecision(out),
});

const verify = defineOperation({
  name: "task verify",
  summary: "Runs a task's check on what is committed, in a clean checkout: verified, only claimed, or not done.",
  effect: "write",
  label: "Run the check",
  input: z.object({
    task: taskInput,
    commit: z
      .string()
      .trim()
      .min(1)
      .optional()
      .describe(
        "the commit to judge (default: what cycles left of the task, if it is not merged; else HEAD of the goal's folder)",
      ),
  }),
  positional: ["task"],
  output: decided
    .extend({
      verdict: z.enum(["verified", "claimed", "failed"]).describe("failed: the check says that it is not done"),
      why: z.string().describe("what was run or found, or what is missing"),
      commit: z.string().nullable().describe("the commit that was judged; null if none was"),
      branch: z
        .string()
        .nullable()
        .describe("the branch whose commit was judged; null: the folder's last commit, or the one that you named"),
      wasVerified: z.boolean().describe("it was verified before; then its record stays, whatever the check says now"),
      uncommitted: z
        .number()
        .nullable()
        .describe("files that are not committed, so they were not judged; null: not known"),
    })
    .meta({ id: "TaskVerification" }),
  example: "oldhand task verify task_0a1b",
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const found = await verifyTask(ctx, {
      task: await requireTask(ctx, input.task),
      commit: input.commit ?? null,
    });
    const { task, change, verdict, why, commit, branch, wasVerified, uncommitted } = found;
    return { ...decision(ctx, task, change), verdict, why, commit, branch, wasVerified, uncommitted };
  },
  render: (out) => {
    const judged =
      out.commit === null
        ? ""
        : ` (commit ${out.commit.slice(0, 10)}${out.branch === null ? "" : ` of ${out.branch}`})`;
    const head = { verified: "Verified", claimed: "Only claimed", failed: "Not done" }[out.verdict];
    const first = `${head}${judged}: ${out.why}`;
    if (!out.wasVerified) return [first, formatDecision(out)].join("\n");
    const again =
      out.verdict === "verified"
        ? "It was verified before, too; nothing changed."
        : `It was verified before, and its record stays: ${out.task.result ?? "verified"}.\n\`oldhand task retry ${out.task.id}\` takes it up again.`;
    return [first, formatTask(out.task), again].join("\n");
  },
  notes: ({ uncommitted, branch }) => [
    ...(branch === null
      ? []
      : [`${branch} was judged, which is not in your folder's last commit; --commit HEAD judges that.`]),
    ...(uncommitted === null || uncommitted === 0
      ? []
      : [
          `${plural(uncommitted, "file")} in the folder ${uncommitted === 1 ? "is" : "are"} not committed, and did not count.`,
        ]),
  ],
  isNegative: ({ verdict }) => verdict !== "verified",
});

const drop = defineOperation({
  name: "task drop",
  summary: "Drops a task that is not to be done any more.",
  effect: "write",
  label: "Drop the task",
  input: z.object({ task: taskInput, reason: z.string().trim().min(1).max(500).optional().describe("why") }),
  positional: ["task"],
  output: decided,
  example: "oldhand task drop task_0a1b",
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { id } = await requireTask(ctx, input.task);
    const { task, change } = await dropTask(ctx, { id, reason: input.reason ?? null });
    return decision(ctx, task, change);
  },
  render: (out) => formatDecision(out),
});

const retry = defineOperation({
  name: "task retry",
  summary: "Takes up a task again that is blocked, dropped or done.",
  effect: "write",
  label: "Take it up again",
  input: z.object({ task: taskInput }),
  positional: ["task"],
  output: decided,
  example: "oldhand task retry task_0a1b",
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { id } = await requireTask(ctx, input.task);
    const { task, change } = await retryTask(ctx, id);
    return decision(ctx, task, change);
  },
  render: (out) => formatDecision(out),
});

export const taskOperations = [add, list, edit, done, verify, drop, retry] as const;

function decision(ctx: Context, task: Task, change: Change<Task> | null): z.infer<typeof decided> {
  return { task: taskOut(ctx, task), change: change === null ? null : changeOut(change) };
}

function formatDecision({ task, change }: z.infer<typeof decided>): string {
  return [formatTask(task), change === null ? "It was so already; nothing changed." : formatUndoHint([change.id])].join(
    "\n",
  );
}
