import type { LedgerEntry } from "../api/contract.ts";
import { sessionPath } from "../browser/route.ts";
import { percent } from "../text/count.ts";
import { Badge, type Tone } from "./badge.tsx";
import { Chevron } from "./chevron.tsx";
import { Fact } from "./fact.tsx";
import { Time } from "./time.tsx";

const loud: Readonly<Record<string, Tone>> = { high: "warn", critical: "fail" };

export function LedgerEntryRow({ entry }: { readonly entry: LedgerEntry }) {
  const { expectation } = entry;
  return (
    <li>
      <details class="group">
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
          <Fact name="why">{entry.why}</Fact>
          {entry.signal !== null && <Fact name="signal">{entry.signal}</Fact>}
          {entry.shouldHave !== null && <Fact name="should have">{entry.shouldHave}</Fact>}
          {expectation !== null && (
            <Fact name="expected">
              {expectation.prediction}; came: {expectation.outcome} (surprise {percent(expectation.surprise)})
            </Fact>
          )}
          {entry.session !== null && (
            <Fact name="session">
              <a href={sessionPath(entry.session)}>{entry.session}</a>
            </Fact>
          )}
          {entry.workspace !== null && <Fact name="workspace">{entry.workspace}</Fact>}
        </dl>
      </details>
    </li>
  );
}
