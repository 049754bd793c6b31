import type { RepeatedMistake } from "../../api/contract.ts";
import { makePath } from "../../browser/route.ts";
import { formatCount, formatMany } from "../../text/count.ts";
import { formatCost } from "../../text/cost.ts";
import { CountBar } from "../count-bar.tsx";
import { RuleStatusNote } from "../rules/rule-status-note.tsx";
import { Time } from "../time.tsx";
import { ToolName } from "../sessions/tool-name.tsx";

export function TopMistakes({ mistakes }: { readonly mistakes: readonly RepeatedMistake[] }) {
  const most = Math.max(...mistakes.map((mistake) => mistake.count));
  return (
    <ol class="divide-y divide-line border-y border-line">
      {mistakes.map((mistake) => (
        <li key={mistake.signature} class="grid grid-cols-[3rem_minmax(0,1fr)] gap-x-3 py-2">
          <div class="text-right">
            <span class="font-medium">{formatCount(mistake.count)}×</span>
            <CountBar share={mistake.count / most} />
          </div>
          <div class="min-w-0">
            <a
              href={makePath("/failures", { signature: mistake.signature })}
              class="line-clamp-2 font-mono text-sm break-words text-ink"
            >
              {mistake.text}
            </a>
            <p class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
              <ToolName tool={mistake.tool} head={mistake.head} />
              <span>{formatMany(mistake.sessions, "session")}</span>
              <span title="calls, time and tokens spent on it">cost {formatCost(mistake.cost)}</span>
              <Time at={mistake.last} />
              <RuleStatusNote rule={mistake.rule} noRule={mistake.noRule} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
