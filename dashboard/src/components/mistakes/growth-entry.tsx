import type { Growth } from "../../api/shapes.ts";
import { changeSubject } from "../../actions/subjects.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge } from "../badge.tsx";
import { Time } from "../time.tsx";

/** One change of the identity, with its reason and an undo button. */
export function GrowthEntry({ entry }: { readonly entry: Growth }) {
  const { change, at, file, actor, reason, added, removed, undoneBy } = entry;
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 py-2.5">
      <div class="min-w-0 flex-1 basis-64">
        <p class={`break-words ${undoneBy === null ? "" : "text-faint line-through"}`}>{reason}</p>
        <p class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
          <Time at={at} />
          <span>{file}</span>
          <span>
            <span class="text-good">+{added}</span> <span class="text-fail">−{removed}</span>
          </span>
          <span>{actor}</span>
          {undoneBy !== null && <Badge>undone</Badge>}
        </p>
      </div>
      <ActionBar
        subject={changeSubject({ id: change, summary: `${file}: ${reason}`, undoneBy })}
        label={`Undo: ${file}: ${reason}`}
      />
    </li>
  );
}
