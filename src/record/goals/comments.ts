import { formatActor } from "../../domain/actor.ts";
import type { CommentKind, GoalComment } from "../../domain/goal/comment.ts";
import { redact } from "../../domain/redact/redact.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { acknowledgeComment, insertComment, readComment } from "../../store/goals/comments.ts";
import type { GoalContext } from "./goals.ts";

export async function addComment(
  { db, clock, actor }: GoalContext,
  given: { readonly goal: string; readonly kind: CommentKind; readonly text: string },
): Promise<GoalComment> {
  const now = clock.now();
  const comment: GoalComment = {
    ...{ id: newId("gc", now), at: now, goal: given.goal, kind: given.kind, author: formatActor(actor) },
    ...{ text: redact(given.text), acknowledgedAt: null, acknowledgedBy: null, answer: null },
  };
  await insertComment(db, comment);
  return comment;
}

/** Says that it was read; a question gets an answer. The first one counts. */
export async function answerComment(
  { db, clock, actor }: GoalContext,
  { id, answer }: { readonly id: string; readonly answer: string | null },
): Promise<GoalComment> {
  const comment = await readComment(db, id);
  if (comment === null) throw new OldhandError("not-found", `there is no comment ${id}`);
  if (comment.kind === "question" && answer === null)
    throw new OldhandError("usage", "this comment is a question", {
      hint: `oldhand comment answer ${id} TEXT answers it`,
    });
  const [by, at] = [formatActor(actor), clock.now()];
  const said = answer === null ? null : redact(answer);
  if (!(await acknowledgeComment(db, id, { by, at, answer: said })))
    throw new OldhandError("conflict", `${(await readComment(db, id))?.acknowledgedBy ?? "somebody"} was first`);
  return { ...comment, acknowledgedAt: at, acknowledgedBy: by, answer: said };
}
