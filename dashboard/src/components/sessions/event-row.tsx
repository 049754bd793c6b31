import type { SessionEvent } from "../../api/contract.ts";
import { CallRow } from "./call-row.tsx";
import { UserTextRow } from "./user-text-row.tsx";
import { Time } from "../time.tsx";

type Props = { readonly event: SessionEvent; readonly isTarget: boolean };

export function EventRow({ event, isTarget }: Props) {
  return (
    <li
      id={`event-${event.seq}`}
      aria-current={isTarget ? "true" : undefined}
      class={`grid scroll-mt-14 items-baseline grid-cols-[2.5rem_minmax(0,1fr)] gap-x-2 border-b border-line/70 sm:grid-cols-[4.25rem_minmax(0,1fr)] sm:gap-x-4 ${isTarget ? "-mx-3 border-l-2 border-l-brass bg-mark pr-3 pl-2.5" : ""}`}
    >
      <span class="font-mono text-xs text-faint">
        <Time at={event.at} clock />
      </span>
      <Body event={event} />
    </li>
  );
}

function Body({ event }: { readonly event: SessionEvent }) {
  if (event.kind === "call") return <CallRow event={event} />;
  if (event.kind === "prompt" || event.kind === "correction") return <UserTextRow event={event} />;
  return (
    <p class="py-1.5 text-sm text-faint">
      {boundaries[event.kind]}
      {event.summary !== "" && <span class="break-words"> · {event.summary}</span>}
    </p>
  );
}

const boundaries = {
  "session-start": "Session started",
  answer: "Agent answered",
  stop: "Agent stopped",
  "session-end": "Session ended",
} as const;
