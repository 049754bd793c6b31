import type { Output } from "../../api/api-result.ts";
import { newSubject } from "../../actions/subjects.ts";
import { sessionPath } from "../../browser/route.ts";
import { formatDollars, formatDuration, formatQuality } from "../../text/money.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge, type Tone } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { Time } from "../time.tsx";

type Call = Output<"models/usage">["calls"][number];

const outcomes: Readonly<Record<Call["outcome"], { readonly text: string; readonly tone: Tone } | null>> = {
  ok: null,
  cached: { text: "from the cache", tone: "good" },
  failed: { text: "failed", tone: "fail" },
  capped: { text: "stopped by a cap", tone: "warn" },
  aborted: { text: "stopped", tone: "quiet" },
};

type Props = {
  readonly calls: readonly Call[];
  /** The id of a call that is open at first. */
  readonly opened: string | null;
};

/** The latest calls. An open one shows why its model was chosen, and its attempts. */
export function LatestCalls({ calls, opened }: Props) {
  return (
    <ul class="divide-y divide-line border-y border-line" aria-label="Latest calls">
      {calls.map((call) => (
        <li key={call.id}>
          <details class="group" open={call.id === opened}>
            <summary class="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-2">
              <Chevron />
              <span class="min-w-0 font-medium [overflow-wrap:anywhere]">{call.model}</span>
              <Marks call={call} />
              <span class="min-w-0 text-soft [overflow-wrap:anywhere]">
                {call.agent}, {call.complexity} {call.taskType}
              </span>
              <span class="ml-auto flex flex-wrap gap-x-3 text-sm text-soft">
                <span>{formatDollars(call.cost)}</span>
                <span>{formatDuration(call.ms)}</span>
                <Time at={call.at} />
              </span>
            </summary>
            <CallReasons call={call} />
          </details>
        </li>
      ))}
    </ul>
  );
}

function Marks({ call }: { readonly call: Call }) {
  const outcome = outcomes[call.outcome];
  return (
    <>
      {outcome && (
        <Badge tone={outcome.tone} {...(call.failure === null ? {} : { title: call.failure })}>
          {outcome.text}
        </Badge>
      )}
      {call.healed && <Badge tone="brass">healed</Badge>}
      {call.explored && <Badge title="chosen only to learn about this model">explored</Badge>}
      {call.listPrice && <Badge title="a subscription paid; the cost is the list price">list price</Badge>}
      {call.quality !== null && (
        <Badge tone={call.quality < 0.5 ? "fail" : "good"}>quality {formatQuality(call.quality)}</Badge>
      )}
    </>
  );
}

function CallReasons({ call }: { readonly call: Call }) {
  return (
    <div class="flex flex-col gap-2 pb-3 pl-6 text-sm">
      <ul class="list-disc pl-4 text-soft [overflow-wrap:anywhere]" aria-label="Why this model">
        {call.route.map((sentence, at) => (
          <li key={at}>{sentence}</li>
        ))}
      </ul>
      {call.attempts.length > 1 && (
        <ol class="list-decimal pl-4 text-soft [overflow-wrap:anywhere]" aria-label="Attempts">
          {call.attempts.map((attempt, at) => (
            <li key={at}>
              {attempt.model}: {attempt.failure ?? "answered"} after {formatDuration(attempt.ms)},{" "}
              {formatDollars(attempt.cost)}
            </li>
          ))}
        </ol>
      )}
      {(call.outcome === "ok" || call.outcome === "cached") && (
        <ActionBar
          subject={newSubject("mind", { given: { agent: call.agent, call: call.id } })}
          first={["agents/feedback"]}
          only
          label={`Judge ${call.id}`}
        />
      )}
      <p class="text-faint [overflow-wrap:anywhere]">
        {call.id}
        {call.session !== null && (
          <>
            {" "}
            in <a href={sessionPath(call.session)}>{call.session}</a>
          </>
        )}
      </p>
    </div>
  );
}
