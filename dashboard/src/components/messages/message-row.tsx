import type { ListedMessage } from "../../api/contract.ts";
import { messageSubject } from "../../actions/subjects.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge, type Tone } from "../badge.tsx";
import { Time } from "../time.tsx";

type Props = { readonly message: ListedMessage };

/** A message, what became of it, and its reply. */
export function MessageRow({ message }: Props) {
  const { id, kind, from, to, text, at, blocked, takenBy, reply } = message;
  const state = stateOf(message);
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-3">
      <div class="flex min-w-0 flex-1 basis-64 flex-col gap-1">
        <p class="[overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>
        <p class="flex flex-wrap items-baseline gap-x-2 text-xs [overflow-wrap:anywhere] text-soft">
          <Badge>{kind}</Badge>
          <Badge tone={state.tone}>{state.text}</Badge>
          {blocked !== null && (
            <Badge tone="fail" title={blocked}>
              withheld from agents
            </Badge>
          )}
          <span>
            {from} → {to ?? (kind === "broadcast" ? "all agents" : "whoever takes it first")}
          </span>
          {takenBy !== null && <span>taken by {takenBy}</span>}
          <Time at={at} />
          <code class="break-all">{id}</code>
        </p>
        {reply !== null && (
          <blockquote class="mt-1 border-l-2 border-line pl-3 text-sm">
            <p class="[overflow-wrap:anywhere] whitespace-pre-wrap">{reply.text}</p>
            <p class="flex flex-wrap gap-x-2 text-xs text-soft">
              <span>{reply.from}</span>
              <Time at={reply.at} />
            </p>
          </blockquote>
        )}
      </div>
      <ActionBar subject={messageSubject(message)} first={["message/reply"]} only label={`Reply to: ${id}`} />
    </li>
  );
}

function stateOf({ kind, takenBy, reply, reached }: ListedMessage): { readonly text: string; readonly tone: Tone } {
  if (kind === "broadcast") return { text: `reached ${reached}`, tone: reached > 0 ? "good" : "quiet" };
  if (reply !== null) return { text: "replied", tone: "good" };
  if (takenBy === null) return { text: "waits", tone: "warn" };
  return kind === "query" ? { text: "no reply yet", tone: "warn" } : { text: "taken", tone: "quiet" };
}
