import type { Output } from "../../api/api-result.ts";
import { sessionPath } from "../../browser/route.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { Time } from "../time.tsx";

type Hit = Output<"sessions/search">["hits"][number];

/** Search results, best first: the session and the matching line. */
export function SessionHits({ hits }: { readonly hits: readonly Hit[] }) {
  return (
    <ol aria-label="Found" class="divide-y divide-line border-y border-line">
      {hits.map((hit) => (
        <li key={`${hit.session} ${hit.seq}`} class="py-2">
          <p class="flex min-w-0 items-baseline justify-between gap-4">
            <a href={sessionPath(hit.session, hit.seq)} class="min-w-0 truncate font-medium">
              {hit.title ?? hit.session}
            </a>
            <span class="shrink-0 text-sm text-soft">
              <Time at={hit.at} />
            </span>
          </p>
          <p class="line-clamp-2 font-mono text-xs [overflow-wrap:anywhere] text-soft">{hit.snippet}</p>
          <p class="flex flex-wrap gap-x-3 text-xs text-faint">
            {hit.workspace !== null && (
              <span title={hit.workspace} class="min-w-0 break-all">
                {workspaceName(hit.workspace)}
              </span>
            )}
            <span>{hit.host}</span>
            <span>{describeHit(hit)}</span>
          </p>
        </li>
      ))}
    </ol>
  );
}

function describeHit({ by, matched }: Hit): string {
  if (by === "words") return `contains ${matched.join(", ")}`;
  return by === "meaning" ? "near in meaning" : "beside such words";
}
