import type { Output } from "../../api/api-result.ts";
import { sessionPath } from "../../browser/route.ts";
import { formatMany } from "../../text/count.ts";
import { Chevron } from "../chevron.tsx";
import { Time } from "../time.tsx";

type Evidence = Output<"rules/why">["because"][number];
type Props = { readonly because: readonly Evidence[]; readonly limit?: number };

/** The calls a rule was made from, newest first. Calls with the same summary share a row. */
export function EvidenceList({ because, limit = because.length }: Props) {
  const groups = groupBySummary(because);
  return (
    <>
      <ol aria-label="Evidence" class="divide-y divide-line border-y border-line">
        {groups.slice(0, limit).map((group) => (
          <EvidenceGroup key={group.summary} group={group} />
        ))}
      </ol>
      {groups.length > limit && (
        <p class="mt-1 text-xs text-faint">and {formatMany(groups.length - limit, "other call")}</p>
      )}
    </>
  );
}

type Group = { readonly summary: string; readonly calls: readonly [Evidence, ...Evidence[]] };

function EvidenceGroup({ group: { summary, calls } }: { readonly group: Group }) {
  const [newest] = calls;
  return (
    <li class="py-1.5">
      <div class="flex flex-wrap items-baseline gap-x-4">
        <span class="w-24 shrink-0 text-sm text-faint">
          <Time at={newest.at} />
        </span>
        <a
          href={sessionPath(newest.ref.session, newest.ref.seq)}
          class="min-w-0 flex-1 basis-48 font-mono text-xs [overflow-wrap:anywhere]"
        >
          {summary}
        </a>
        <span class="text-xs text-faint">{newest.host}</span>
      </div>
      {calls.length > 1 && (
        <details class="group sm:ml-28">
          <summary class="inline-flex items-center gap-1.5 text-xs text-soft hover:text-ink">
            <Chevron /> {formatMany(calls.length, "such call")}
          </summary>
          <ul class="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-xs">
            {calls.map((call) => (
              <li key={`${call.ref.session}/${call.ref.seq}`}>
                <a href={sessionPath(call.ref.session, call.ref.seq)} title={call.ref.session}>
                  <Time at={call.at} /> in {call.ref.session.slice(0, 8)}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function groupBySummary(because: readonly Evidence[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const call of because.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))) {
    const known = groups.get(call.summary);
    groups.set(call.summary, { summary: call.summary, calls: known ? [...known.calls, call] : [call] });
  }
  return [...groups.values()];
}
