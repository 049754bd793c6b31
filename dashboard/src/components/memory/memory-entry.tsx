import type { Memory } from "../../api/contract.ts";
import { formatMany, formatPercent } from "../../text/count.ts";
import { formatScope } from "../../text/scope.ts";
import { memorySubject } from "../../actions/subjects.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge } from "../badge.tsx";
import { ForgetNote } from "./forget-note.tsx";
import { Time } from "../time.tsx";

export function MemoryEntry({ memory }: { readonly memory: Memory }) {
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-2.5">
      <div class="min-w-0 flex-1 basis-72">
        <p class="max-w-[80ch] break-words whitespace-pre-wrap">{memory.text}</p>
        <p class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
          {memory.blocked !== null && (
            <Badge tone="warn" title={memory.blocked}>
              blocked
            </Badge>
          )}
          {memory.pinned && <Badge tone="brass">pinned</Badge>}
          {memory.status !== "active" && <Badge>{memory.status}</Badge>}
          {memory.key !== memory.id && <code class="break-all text-soft">{memory.key}</code>}
          <span>{memory.kind}</span>
          <span title="how much it matters, 1 to 100">importance {memory.importance}</span>
          <span title="how sure it is that this is true">confidence {formatPercent(memory.confidence)}</span>
          <span>
            from {memory.origin}
            {memory.trust !== memory.origin && `, trusted as ${memory.trust}`}
          </span>
          <span class="break-all">{formatScope(memory.scope)}</span>
          {memory.tags.length > 0 && <span class="break-words">{memory.tags.join(", ")}</span>}
          <span>
            used {formatMany(memory.uses, "time")}
            {memory.lastUsedAt !== null && (
              <>
                , last <Time at={memory.lastUsedAt} />
              </>
            )}
          </span>
        </p>
        {memory.blocked !== null && <p class="text-xs text-warn">Hidden from agents: {memory.blocked}</p>}
      </div>
      <div class="flex flex-wrap items-center gap-2">
        <ActionBar subject={memorySubject(memory)} first={["memories/vouch", "memories/edit", "memories/archive"]} />
        <ForgetNote id={memory.id} isActive={memory.status === "active"} />
      </div>
    </li>
  );
}
