import { useEffect, useRef, useState } from "preact/hooks";
import type { RepeatedMistake } from "../../api/contract.ts";
import { formatCount, formatMany } from "../../text/count.ts";
import { formatCost } from "../../text/cost.ts";
import { TrendChart } from "../chart/trend-chart.tsx";
import { Chevron } from "../chevron.tsx";
import { CountBar } from "../count-bar.tsx";
import { MistakeDetails } from "./mistake-details.tsx";
import { RuleStatusNote } from "../rules/rule-status-note.tsx";
import { Time } from "../time.tsx";
import { ToolName } from "../sessions/tool-name.tsx";

type Props = {
  readonly mistake: RepeatedMistake;
  /** Its count divided by the highest count. */
  readonly share: number;
  /** True if the address names this mistake: it opens and scrolls into view. */
  readonly isTarget: boolean;
};

export function MistakeEntry({ mistake, share, isTarget }: Props) {
  const details = useRef<HTMLDetailsElement>(null);
  // The details are loaded only when opened.
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (!isTarget || details.current === null) return;
    details.current.open = true;
    const timer = setTimeout(() => details.current?.scrollIntoView({ block: "nearest" }), 60);
    return () => clearTimeout(timer);
  }, [isTarget]);
  return (
    <li>
      <details ref={details} class="group" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary class="grid grid-cols-[0.75rem_3rem_minmax(0,1fr)] items-start gap-x-3 py-2.5 hover:bg-ink/4">
          <span class="pt-1.5 pl-0.5">
            <Chevron />
          </span>
          <div class="text-right">
            <span class="font-medium">{formatCount(mistake.count)}×</span>
            <CountBar share={share} />
          </div>
          <div class="min-w-0">
            <p class="line-clamp-2 font-mono text-sm break-words group-open:line-clamp-none">{mistake.text}</p>
            <p class="mt-0.5 flex flex-wrap items-baseline gap-x-4 text-xs text-faint">
              <ToolName tool={mistake.tool} head={mistake.head} />
              <span>{formatMany(mistake.sessions, "session")}</span>
              <span class="text-soft" title="calls, time and tokens spent on it">
                cost {formatCost(mistake.cost)}
              </span>
              <Time at={mistake.last} />
              <RuleStatusNote rule={mistake.rule} noRule={mistake.noRule} />
            </p>
            {mistake.recovery !== null && (
              <p class="mt-0.5 flex min-w-0 items-baseline gap-x-2 text-xs text-faint group-open:hidden">
                <span class="shrink-0 text-good">worked</span>
                <code class="min-w-0 truncate text-soft">{mistake.recovery.summary}</code>
                <span class="shrink-0">{formatMany(mistake.recovery.times, "time")}</span>
              </p>
            )}
          </div>
        </summary>
        {isOpen && (
          <div class="pb-4 sm:pl-[5.25rem]">
            <TrendChart
              label="This mistake by day"
              of={{ signature: mistake.signature }}
              show={["failures", "sessions"]}
            />
          </div>
        )}
        <MistakeDetails mistake={mistake} />
      </details>
    </li>
  );
}
