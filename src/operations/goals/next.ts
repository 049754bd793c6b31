import { z } from "zod";
import { choiceReasons } from "../../domain/goal/choose-action.ts";
import { type Choice, choiceRules, decide, explainIdle } from "../../domain/goal/decide.ts";
import { defineOperation } from "../../operation.ts";
import { defineAct } from "./act.ts";
import { listGoals } from "../../store/nouns/goals.ts";
import { listTasks, listTasksOf } from "../../store/nouns/tasks.ts";
import { goalOut, goalShape, taskOut, taskShape } from "./goal-shapes.ts";

export const goalNext = defineAct({
  input: z.object({}),
  act: async (ctx) => {
    const board = { goals: await listGoals(ctx.db), tasks: await listTasks(ctx.db) };
    const choice: Choice = decide(board);
    const { action, rule, goal, task } = choice;
    return {
      ...{ action, rule, reason: choiceReasons[rule] },
      goal: goal === null ? null : goalOut(ctx, goal, await listTasksOf(ctx.db, goal.id)),
      task: task === null ? null : taskOut(ctx, task),
      waits: action === "idle" ? [...explainIdle(board)] : [],
    };
  },
});

const next = defineOperation({
  name: "goal next",
  summary: "Shows what is to be done next, and the rule that decides it.",
  effect: "touches",
  prepare: ["markers"],
  input: goalNext.input,
  output: z.object({
    action: z.enum(["execute", "decompose", "idle"]).describe("do the task, or first make tasks of the goal"),
    rule: z.enum(choiceRules),
    reason: z.string(),
    goal: goalShape.nullable(),
    task: taskShape.nullable(),
    waits: z.array(z.string()).describe("if nothing can be done: why, goal by goal"),
  }),
  run: goalNext.act,
  render: ({ reason, goal, task, waits }) => {
    if (goal === null) return [`Nothing can be done: ${reason}.`, ...waits.map((one) => `  ${one}`)].join("\n");
    const what =
      task === null
        ? [`Next: find tasks for "${goal.title}" (${goal.id})`]
        : [`Next: ${task.title} (${task.id})`, `  for "${goal.title}" (${goal.id})`, `  done when ${task.check.says}`];
    return [...what, `  because ${reason}`].join("\n");
  },
});

export const nextOperations = [next] as const;
