import { z } from "zod";
import { commentKinds } from "../../domain/goal/comment.ts";
import { defineOperation } from "../../operation.ts";
import { defineAct } from "./act.ts";
import { addComment, answerComment } from "../../record/goals/comments.ts";
import { listComments } from "../../store/goals/comments.ts";
import { resolveId } from "../shared/resolve-id.ts";
import { commentOut, commentShape, formatComment, requireGoal } from "./goal-shapes.ts";

const text = z.string().trim().min(1).max(10_000);

export const commentAdd = defineAct({
  input: z.object({
    goal: z.string().min(1).describe("the goal's id, or the beginning of its id"),
    text: text.describe("what you say; secrets are removed"),
    kind: z
      .enum(commentKinds)
      .default("direction")
      .describe("a question is answered; a direction says what to do, a correction what was wrong"),
  }),
  act: async (ctx, input) => {
    const goal = await requireGoal(ctx, input.goal);
    return commentOut(ctx, await addComment(ctx, { goal: goal.id, kind: input.kind, text: input.text }));
  },
});

const comment = defineOperation({
  name: "comment",
  summary: "Says something about a goal. Whoever works on the goal next reads it first.",
  effect: "write",
  on: "goal",
  label: "Comment",
  input: commentAdd.input,
  positional: ["goal", "text"],
  freeText: true,
  output: commentShape,
  example: 'oldhand comment goal_0a1b "Leave the old format readable" --kind direction',
  run: commentAdd.act,
  render: formatComment,
});

export const commentList = defineAct({
  input: z.object({
    goal: z.string().min(1).optional().describe("only about this goal"),
    open: z.boolean().optional().describe("only what nobody has read yet"),
  }),
  act: async (ctx, input) => {
    const goal = input.goal === undefined ? undefined : (await requireGoal(ctx, input.goal)).id;
    const comments = await listComments(ctx.db, { goal, isOpen: input.open });
    return { comments: comments.map((one) => commentOut(ctx, one)) };
  },
});

const list = defineOperation({
  name: "comment list",
  summary: "Lists what was said about goals, oldest first.",
  effect: "read",
  input: commentList.input,
  output: z.object({ comments: z.array(commentShape) }),
  run: commentList.act,
  render: ({ comments }) =>
    comments.length === 0
      ? "Nothing was said. `oldhand comment GOAL TEXT` says something."
      : comments.map(formatComment).join("\n"),
});

export const commentAnswer = defineAct({
  input: z.object({
    id: z.string().min(1).describe("the comment's id, or the beginning of its id"),
    text: text.optional().describe("the answer; a question needs one"),
  }),
  act: async (ctx, input) => {
    const id = await resolveId(ctx.db, "goal_comments", input.id);
    return commentOut(ctx, await answerComment(ctx, { id, answer: input.text ?? null }));
  },
});

const answer = defineOperation({
  name: "comment answer",
  summary: "Answers a comment, or says that it was read.",
  effect: "write",
  label: "Answer",
  input: commentAnswer.input,
  positional: ["id", "text"],
  freeText: true,
  output: commentShape,
  example: 'oldhand comment answer gc_0a1b "Yes, both formats are read"',
  run: commentAnswer.act,
  render: formatComment,
});

export const commentOperations = [comment, list, answer] as const;
