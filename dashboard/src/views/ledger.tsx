import type { Output } from "../api/api-result.ts";
import type { PatternStanding } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { useFilterInput } from "../browser/current-filter.ts";
import { replaceLocation, getQueryParameter } from "../browser/location.ts";
import { makePath } from "../browser/route.ts";
import { newSubject } from "../actions/subjects.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { LedgerEntryRow } from "../components/mistakes/ledger-entry.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { PatternRow } from "../components/mistakes/pattern-row.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { formatMany } from "../text/count.ts";
import type { View } from "../view.ts";

type Book = Output<"ledger/list">;

export const ledger: View = { path: "/ledger", title: "Ledger", nav: { key: "l" }, Page: LedgerPage };

const LIMIT = 100;

function LedgerPage() {
  const pattern = getQueryParameter("pattern");
  const range = useFilterInput();
  const target = getQueryParameter("entry");
  const all = useResource("ledger/list", { limit: LIMIT, ...range });
  const some = useResource("ledger/list", { limit: LIMIT, ...range, ...(pattern === null ? {} : { pattern }) });
  return (
    <>
      <PageHead title="Ledger" lead={all.value && makeLead(all.value)}>
        {pattern !== null && (
          <button type="button" class="press" onClick={() => replaceLocation("/ledger")}>
            {pattern} <span aria-label="remove this filter">×</span>
          </button>
        )}
        <ActionBar
          label="Write an entry"
          // The dashboard has no current folder.
          subject={newSubject("ledger", {
            given: { everywhere: true },
            known: { pattern: all.value?.patterns.map((one) => one.pattern) ?? [] },
          })}
        />
      </PageHead>
      <Loaded resource={all}>
        {({ patterns }) =>
          patterns.length === 0 ? (
            <Empty
              title={Object.keys(range).length === 0 ? "The ledger is empty" : "Nothing was entered here in this time"}
              text="Write a mistake or a win with the buttons above, or with `oldhand mistake` and `oldhand win`."
            />
          ) : (
            <div class="flex flex-col gap-8">
              <PageSection title="Patterns">
                <Patterns patterns={patterns} chosen={pattern} />
              </PageSection>
              <PageSection title={pattern === null ? "Newest entries" : `Entries of ${pattern}`}>
                <Loaded resource={some} rows={4}>
                  {({ entries }) =>
                    entries.length === 0 ? (
                      <Empty title="No entry of this pattern" text="Remove the filter to see the others." />
                    ) : (
                      <ol class="divide-y divide-line border-y border-line">
                        {entries.map((entry) => (
                          <LedgerEntryRow key={entry.id} entry={entry} isTarget={entry.id === target} />
                        ))}
                      </ol>
                    )
                  }
                </Loaded>
              </PageSection>
            </div>
          )
        }
      </Loaded>
    </>
  );
}

type PatternsProps = { readonly patterns: readonly PatternStanding[]; readonly chosen: string | null };

function Patterns({ patterns, chosen }: PatternsProps) {
  const most = Math.max(...patterns.map((one) => Math.max(one.mistakes, one.wins)));
  return (
    <ul class="divide-y divide-line border-y border-line">
      {patterns.map((one) => (
        <PatternRow
          key={one.pattern}
          trend={one}
          most={most}
          chosen={one.pattern === chosen}
          href={makePath("/ledger", { pattern: one.pattern })}
        />
      ))}
    </ul>
  );
}

function makeLead({ patterns }: Book): string {
  if (patterns.length === 0) return "Mistakes and wins, counted by pattern";
  const sum = (of: (one: PatternStanding) => number) => patterns.reduce((total, one) => total + of(one), 0);
  return `${formatMany(
    sum((one) => one.mistakes),
    "mistake",
  )} and ${formatMany(
    sum((one) => one.wins),
    "win",
  )} under ${formatMany(patterns.length, "pattern")}; most mistakes first`;
}
