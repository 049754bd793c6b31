import { taskSubject } from "../../actions/subjects.ts";
import type { Task } from "../../api/contract.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge, type Tone } from "../badge.tsx";

/** A task, and what decides whether it is done. */
export function TaskRow({ task }: { readonly task: Task }) {
  const { title, check, result, reason } = task;
  const state = stateOf(task);
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-2">
      <div class="min-w-0 flex-1 basis-56">
        <p class="flex flex-wrap items-baseline gap-x-2">
          <span class="[overflow-wrap:anywhere]">{title}</span>
          <Badge tone={state.tone}>{state.text}</Badge>
        </p>
        <p class="text-xs [overflow-wrap:anywhere] text-soft">Done when {check.says}</p>
        {result !== null && <p class="[overflow-wrap:anywhere]">{result}</p>}
        {reason !== null && <p class="whitespace-pre-wrap [overflow-wrap:anywhere]">{reason}</p>}
      </div>
      <ActionBar
        subject={taskSubject(task)}
        first={["task/verify", "task/done", "task/retry"]}
        label={`Decide on: ${title}`}
      />
    </li>
  );
}

function stateOf({ status, proof }: Task): { readonly text: string; readonly tone: Tone } {
  if (status === "done")
    return proof === "verified" ? { text: "verified", tone: "good" } : { text: "claimed", tone: "warn" };
  if (status === "blocked") return { text: "blocked", tone: "fail" };
  return { text: status === "in-progress" ? "in progress" : status, tone: "quiet" };
}
