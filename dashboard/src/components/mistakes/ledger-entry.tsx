import { useEffect, useRef } from "preact/hooks";
import type { LedgerEntry } from "../../api/contract.ts";
import { sessionPath } from "../../browser/route.ts";
import { formatPercent } from "../../text/count.ts";
import { Badge, type Tone } from "../badge.tsx";
import { Chevron } from "../chevron.tsx";
import { DefinitionItem } from "../definition-item.tsx";
import { Time } from "../time.tsx";

const loud: Readonly<Record<string, Tone>> = { high: "warn", critical: "fail" };

type Props = {
  readonly entry: LedgerEntry;
  /** True if the address names this entry: it opens and scrolls into view. */
  readonly isTarget: boolean;
};

export function LedgerEntryRow({ entry, isTarget }: Props) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isTarget) row.current?.scrollIntoView({ block: "center" });
  }, [isTarget]);
  const { expectation } = entry;
  return (
    <li ref={row} aria-current={isTarget ? "true" : undefined}>
      <details class="group" open={isTarget}>
        <summary class="flex items-start gap-2.5 py-2 hover:bg-ink/4">
          <span class="pt-1.5">
            <Chevron />
          </span>
          <span class="min-w-0">
            <span class="break-words">{entry.what}</span>
            <span class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
              <Badge tone={entry.kind === "win" ? "good" : "fail"}>{entry.kind}</Badge>
              {entry.severity !== null && <Badge tone={loud[entry.severity] ?? "quiet"}>{entry.severity}</Badge>}
              <span class="text-soft">{entry.pattern}</span>
              <Time at={entry.at} />
              <span>from {entry.origin}</span>
            </span>
          </span>
        </summary>
        <dl class="mb-2 ml-5.5 flex flex-col gap-1 bg-sunken px-3 py-2 text-sm">
          <DefinitionItem name="why">{entry.why}</DefinitionItem>
          {entry.signal !== null && <DefinitionItem name="signal">{entry.signal}</DefinitionItem>}
          {entry.shouldHave !== null && <DefinitionItem name="should have">{entry.shouldHave}</DefinitionItem>}
          {expectation !== null && (
            <DefinitionItem name="expected">
              {expectation.prediction}; what happened: {expectation.outcome} (surprise{" "}
              {formatPercent(expectation.surprise)})
            </DefinitionItem>
          )}
          {entry.session !== null && (
            <DefinitionItem name="session">
              <a href={sessionPath(entry.session)}>{entry.session}</a>
            </DefinitionItem>
          )}
          {entry.workspace !== null && <DefinitionItem name="workspace">{entry.workspace}</DefinitionItem>}
        </dl>
      </details>
    </li>
  );
}
