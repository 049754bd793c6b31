import type { FileDrift } from "../../api/shapes.ts";
import { formatMany, formatPercent } from "../../text/count.ts";
import { Time } from "../time.tsx";

/** How far a file is from its first version, in words and as a bar. */
export function DriftRow({ drift }: { readonly drift: FileDrift }) {
  return (
    <li class="grid gap-x-4 gap-y-0.5 py-2.5 sm:grid-cols-[8rem_minmax(0,1fr)]" aria-label={drift.file}>
      <span class="font-medium">{drift.file}</span>
      <div class="min-w-0">
        <p>
          {`${formatPercent(drift.words)} of its words and ${formatPercent(drift.lines)} of its lines differ from the first version.`}
        </p>
        <svg class="my-1 block h-[5px] w-full max-w-80" aria-hidden="true">
          <rect class="fill-line" width="100%" height="5" rx="2.5" />
          <rect class="fill-brass" width={`${Math.max(2, drift.words * 100)}%`} height="5" rx="2.5" />
        </svg>
        <p class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
          <span>
            first written <Time at={drift.since} />
          </span>
          <span>{formatMany(drift.versions, "version")}</span>
          <span>
            +{drift.added} −{drift.removed} lines
          </span>
          {(["added", "removed", "changed"] as const)
            .filter((kind) => drift.sections[kind].length > 0)
            .map((kind) => (
              <span key={kind} class="break-words">
                sections {kind}: {drift.sections[kind].join(", ")}
              </span>
            ))}
        </p>
      </div>
    </li>
  );
}
