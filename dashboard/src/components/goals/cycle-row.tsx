import type { PastCycle } from "../../api/contract.ts";
import { formatDollars, formatDuration } from "../../text/money.ts";
import { Badge, type Tone } from "../badge.tsx";
import { Time } from "../time.tsx";

const tones: Readonly<Record<NonNullable<PastCycle["outcome"]>, Tone>> = {
  verified: "good",
  claimed: "warn",
  failed: "fail",
  deferred: "warn",
  planned: "good",
  reflected: "good",
  blocked: "fail",
  nothing: "quiet",
  lost: "fail",
};

/** What one cycle did, for which task, by which rule, and what came of it. */
export function CycleRow({ cycle }: { readonly cycle: PastCycle }) {
  const { number, beganAt, action, rule, goal, task, outcome, cost, ms, model, reason } = cycle;
  const facts = [
    ...(rule === null ? [] : [`by the rule ${rule}`]),
    ...(model === null ? [] : [model]),
    formatDollars(cost),
    ...(ms === null ? [] : [formatDuration(ms)]),
  ];
  return (
    <li class="py-2">
      <p class="flex flex-wrap items-baseline gap-x-2">
        <span class="text-soft tabular-nums">{number}</span>
        <span class="[overflow-wrap:anywhere]">{task?.title ?? goal?.title ?? "No task"}</span>
        {action !== null && <Badge>{action}</Badge>}
        {outcome === null ? <Badge>no outcome</Badge> : <Badge tone={tones[outcome]}>{outcome}</Badge>}
        <span class="text-xs text-soft">
          <Time at={beganAt} />
        </span>
      </p>
      <p class="text-xs [overflow-wrap:anywhere] text-soft">{facts.join(" · ")}</p>
      {reason !== null && <p class="text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">{reason}</p>}
    </li>
  );
}
