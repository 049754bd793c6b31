import { useState } from "preact/hooks";
import type { SessionEvent } from "../../api/contract.ts";
import { formatSpan } from "../../text/ago.ts";
import { dropToolName } from "../../text/drop-tool-name.ts";
import { Badge } from "../badge.tsx";
import { CallDetails } from "./call-details.tsx";
import { Chevron } from "../chevron.tsx";
import { getOutcomeLabel } from "./outcome.ts";

/** One tool call in a line; its input and output can be expanded. */
export function CallRow({ event }: { readonly event: SessionEvent }) {
  // Inputs can be whole files, so they are rendered only once expanded.
  const [opened, setOpened] = useState(false);
  const failed = event.error !== null && !event.benign;
  return (
    <details class="group min-w-0" onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary class="grid grid-cols-[0.75rem_minmax(0,1fr)_auto] items-baseline gap-x-2 py-1.5 hover:bg-ink/4">
        <Chevron />
        <span class="min-w-0 max-sm:line-clamp-3 max-sm:group-open:line-clamp-none">
          <span class="mr-2 text-sm text-soft">{event.tool ?? "call"}</span>
          <code class="text-sm break-words [overflow-wrap:anywhere]">{dropToolName(event.summary, event.tool)}</code>
        </span>
        <span class="flex items-baseline gap-2 text-xs whitespace-nowrap text-faint">
          <span class="max-sm:hidden">{event.durationMs !== null && formatSpan(event.durationMs)}</span>
          <OutcomeBadge event={event} />
        </span>
        {failed && (
          <code class="col-start-2 line-clamp-2 text-xs break-words text-fail group-open:hidden">{event.error}</code>
        )}
      </summary>
      {opened && <CallDetails event={event} />}
    </details>
  );
}

function OutcomeBadge({ event }: { readonly event: SessionEvent }) {
  const verdict = getOutcomeLabel(event);
  if (verdict === null) return <Badge title="No outcome was seen">running?</Badge>;
  if (event.outcome === "ok") return <span title={verdict.title}>ok</span>;
  return (
    <Badge tone={verdict.tone} title={verdict.title}>
      {verdict.text}
    </Badge>
  );
}
