import { commentSubject } from "../../actions/subjects.ts";
import type { GoalComment } from "../../api/contract.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge } from "../badge.tsx";
import { Time } from "../time.tsx";

/** What somebody said about a goal, and whether it was read. */
export function GoalCommentRow({ comment }: { readonly comment: GoalComment }) {
  const { id, kind, author, text, at, acknowledgedAt, answer } = comment;
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5">
      <div class="min-w-0 flex-1 basis-56">
        <p class="[overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>
        <p class="flex flex-wrap items-baseline gap-x-2 text-xs text-soft">
          <Badge>{kind}</Badge>
          <Badge tone={acknowledgedAt === null ? "warn" : "good"}>
            {acknowledgedAt === null ? "not read yet" : "read"}
          </Badge>
          <span class="[overflow-wrap:anywhere]">{author}</span>
          <Time at={at} />
        </p>
        {answer !== null && (
          <blockquote class="mt-1 border-l-2 border-line pl-3 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {answer}
          </blockquote>
        )}
      </div>
      <ActionBar subject={commentSubject(comment)} label={`Answer: ${id}`} />
    </li>
  );
}
