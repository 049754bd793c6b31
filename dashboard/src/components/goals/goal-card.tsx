import { useState } from "preact/hooks";
import { goalSubject } from "../../actions/subjects.ts";
import type { Goal } from "../../api/contract.ts";
import { useResource } from "../../api/use-resource.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge, type Tone } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { Loaded } from "../frame/loaded.tsx";
import { GoalCommentRow } from "./goal-comment-row.tsx";
import { TaskRow } from "./task-row.tsx";

const tones: Readonly<Record<Goal["status"], Tone>> = {
  proposed: "brass",
  active: "quiet",
  paused: "warn",
  blocked: "fail",
  done: "good",
  dropped: "quiet",
};

/** A goal, how far it is, its buttons; its tasks and comments are loaded when it is opened. */
export function GoalCard({ goal }: { readonly goal: Goal }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-3">
      <div class="min-w-0 flex-1 basis-64">
        <p class="flex flex-wrap items-baseline gap-x-2">
          <span class="font-medium [overflow-wrap:anywhere]">{goal.title}</span>
          <Badge tone={tones[goal.status]}>{goal.status}</Badge>
        </p>
        <p class="text-sm [overflow-wrap:anywhere] text-soft">
          Priority {goal.priority} · {formatProgress(goal.tasks)}
          {goal.dependsOn.length > 0 && <> · after {goal.dependsOn.join(", ")}</>}
          {goal.createdBy !== "owner" && <> · from {goal.createdBy}</>}
        </p>
        {goal.reason !== null && <p class="text-sm [overflow-wrap:anywhere]">{goal.reason}</p>}
        <details class="group mt-1 text-sm" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
          <summary class="inline-flex items-center gap-1.5 text-soft hover:text-ink">
            <Chevron /> Tasks and comments
          </summary>
          {isOpen && <GoalDetails id={goal.id} />}
        </details>
      </div>
      <ActionBar
        subject={goalSubject(goal)}
        first={["goal/approve", "goal/resume", "task/add", "comment"]}
        label={`Decide on: ${goal.title}`}
      />
    </li>
  );
}

function GoalDetails({ id }: { readonly id: string }) {
  return (
    <Loaded resource={useResource("goal/show", { goal: id })} rows={2}>
      {({ goal, tasks, parts, comments }) => (
        <div class="mt-2 flex flex-col gap-3">
          {goal.description !== "" && <p class="[overflow-wrap:anywhere] whitespace-pre-wrap">{goal.description}</p>}
          {goal.folder !== null && <code class="text-xs break-all text-soft">{goal.folder}</code>}
          {parts.length > 0 && (
            <p class="[overflow-wrap:anywhere]">Parts: {parts.map(({ title }) => title).join(", ")}</p>
          )}
          {tasks.length === 0 ? (
            <p class="text-soft">It has no tasks yet.</p>
          ) : (
            <ol aria-label="Tasks" class="divide-y divide-line border-y border-line">
              {tasks.map((task) => (
                <TaskRow key={task.id} task={task} />
              ))}
            </ol>
          )}
          {comments.length > 0 && (
            <ul aria-label="Comments" class="flex flex-col gap-2">
              {comments.map((comment) => (
                <GoalCommentRow key={comment.id} comment={comment} />
              ))}
            </ul>
          )}
        </div>
      )}
    </Loaded>
  );
}

function formatProgress({ verified, claimed, open, blocked, dropped }: Goal["tasks"]): string {
  const all = verified + claimed + open + blocked;
  if (all === 0) return dropped === 0 ? "no tasks yet" : `no tasks, ${dropped} dropped`;
  const split = verified + claimed === 0 ? "" : ` (${verified} verified, ${claimed} claimed)`;
  return `${verified + claimed} of ${all} done${split}${blocked === 0 ? "" : `, ${blocked} blocked`}`;
}
