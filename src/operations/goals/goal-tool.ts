import { z } from "zod";
import { commentKinds } from "../../domain/goal/comment.ts";
import { OldhandError } from "../../lib/errors.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { checkInputs } from "./check-input.ts";
import { commentOperations } from "./comments.ts";
import { goalOperations } from "./goals.ts";
import { nextOperations } from "./next.ts";
import { taskOperations } from "./tasks.ts";

/** What an agent can do with goals, and what each needs. */
const actions = {
  list: ["goal list"],
  next: ["goal next"],
  show: ["goal show", "goal"],
  add: ["goal add", "title"],
  "add-task": ["task add", "goal", "title"],
  done: ["task done", "task"],
  comment: ["comment", "goal", "text"],
  comments: ["comment list"],
  answer: ["comment answer", "id"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

type Action = keyof typeof actions;

/** One tool for agents: every tool that they have costs them tokens in each session. */
const goalTool = defineOperation({
  name: "goal tool",
  summary:
    "Goals and their tasks: list, next (what to do now), show, add (proposes a goal), add-task, done (claims a task), comment, answer.",
  effect: "write",
  surfaces: ["mcp"],
  mcpName: "goal",
  input: z.object({
    action: z.enum(Object.keys(actions) as [Action, ...Action[]]),
    goal: z.string().min(1).optional().describe("id of the goal"),
    task: z.string().min(1).optional().describe("id of the task"),
    id: z.string().min(1).optional().describe("id of the comment to answer"),
    title: z.string().min(1).max(200).optional().describe("of the goal or task to add"),
    description: z.string().max(10_000).optional(),
    text: z.string().min(1).max(10_000).optional().describe("of the comment or answer"),
    kind: z.enum(commentKinds).optional(),
    result: z.string().min(1).max(2_000).optional().describe("what came of the task"),
    after: z.string().min(1).optional().describe("ids of what must be done first, with commas between"),
    ...checkInputs,
  }),
  output: z.unknown(),
  run: async (ctx, { action, ...given }) => {
    const [name, ...needs] = actions[action];
    const missing = needs.filter((one) => (given as Readonly<Record<string, unknown>>)[one] === undefined);
    if (missing.length > 0)
      throw new OldhandError("usage", `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`, {
        hint: `${action} needs ${needs.join(" and ")}`,
      });
    const operation: Operation = requireOperation(name);
    return operation.run(ctx, operation.input.parse(given));
  },
});

export const goalToolOperations = [goalTool] as const;

function requireOperation(name: string): Operation {
  const found = [...goalOperations, ...nextOperations, ...taskOperations, ...commentOperations].find(
    (one) => one.name === name,
  );
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}
