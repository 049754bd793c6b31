import { z } from "zod";
import { commentKinds } from "../../domain/goal/comment.ts";
import { OldhandError } from "../../lib/errors.ts";
import type { Context } from "../../context.ts";
import { defineOperation } from "../../operation.ts";
import { checkInputs } from "./check-input.ts";
import { commentAdd, commentAnswer, commentList } from "./comments.ts";
import { goalAdd, goalList, goalShow } from "./goals.ts";
import { goalNext } from "./next.ts";
import { taskAdd, taskDone } from "./tasks.ts";

/** What an agent can do with goals, and what each needs. */
const actions = {
  list: { ...goalList, needs: [] },
  next: { ...goalNext, needs: [] },
  show: { ...goalShow, needs: ["goal"] },
  add: { ...goalAdd, needs: ["title"] },
  "add-task": { ...taskAdd, needs: ["goal", "title"] },
  done: { ...taskDone, needs: ["task"] },
  comment: { ...commentAdd, needs: ["goal", "text"] },
  comments: { ...commentList, needs: [] },
  answer: { ...commentAnswer, needs: ["id"] },
} as const;

type Action = keyof typeof actions;

/** One tool for agents: every tool that they have costs them tokens in each session. */
const goalTool = defineOperation({
  name: "goal tool",
  summary:
    "Goals and their tasks: list, next (what to do now), show, add (proposes a goal), add-task, done (claims a task), comment, answer.",
  effect: "write",
  prepare: ["markers"],
  surfaces: ["mcp"],
  mcpName: "goal",
  input: z.object({
    action: z.enum(Object.keys(actions) as [Action, ...Action[]]).describe("what to do"),
    goal: z.string().min(1).optional().describe("id of the goal"),
    task: z.string().min(1).optional().describe("id of the task"),
    id: z.string().min(1).optional().describe("id of the comment to answer"),
    title: z.string().min(1).max(200).optional().describe("of the goal or task to add"),
    description: z.string().max(10_000).optional().describe("of the goal or task to add"),
    text: z.string().min(1).max(10_000).optional().describe("of the comment or answer"),
    kind: z.enum(commentKinds).optional().describe("of the comment"),
    result: z.string().min(1).max(2_000).optional().describe("what came of the task"),
    after: z.string().min(1).optional().describe("ids of what must be done first, with commas between"),
    ...checkInputs,
  }),
  output: z.unknown(),
  run: async (ctx, { action, ...given }) => {
    const { needs } = actions[action];
    const missing = needs.filter((one) => (given as Readonly<Record<string, unknown>>)[one] === undefined);
    if (missing.length > 0)
      throw new OldhandError("usage", `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`, {
        hint: `${action} needs ${needs.join(" and ")}`,
      });
    return act(ctx, action, given);
  },
});

export const goalToolOperations = [goalTool] as const;

function act(ctx: Context, action: Action, given: object): Promise<unknown> {
  const { input, act: doIt } = actions[action] as {
    readonly input: z.ZodObject;
    act(ctx: Context, input: unknown): Promise<unknown>;
  };
  return doIt(ctx, input.parse(given));
}
