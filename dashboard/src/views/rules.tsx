import { useState } from "preact/hooks";
import type { Rule } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { currentFilter, useFilterInput } from "../browser/current-filter.ts";
import { isFilterSet } from "../browser/page-filter.ts";
import { replaceLocation, getQueryParameter } from "../browser/location.ts";
import { makePath } from "../browser/route.ts";
import { BacktestLegend } from "../components/rules/backtest-bar.tsx";
import { newSubject } from "../actions/subjects.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { ChoiceField } from "../components/choice-field.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { IncrementalList } from "../components/incremental-list.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { levels } from "../components/rules/levels.ts";
import { RuleEntry } from "../components/rules/rule-entry.tsx";
import { TextFilter } from "../components/text-filter.tsx";
import { formatMany } from "../text/count.ts";
import { hasAllWords } from "../text/has-all-words.ts";
import type { View } from "../view.ts";

export const rules: View = { path: "/rules", title: "Rules", nav: { key: "r" }, Page: Rules };

const statuses = ["candidate", "approved", "muted", "dormant", "retired", "rejected", "merged"] as const;

type Filter = { readonly status: string | null; readonly level: string | null; readonly sort: string | null };

const orders: Readonly<Record<string, (a: Rule, b: Rule) => number>> = {
  "newest evidence": (a, b) => Date.parse(b.evidence.last) - Date.parse(a.evidence.last),
  "most seen": (a, b) => b.evidence.observations - a.evidence.observations,
  "most often right": (a, b) => (b.backtest?.lower ?? -1) - (a.backtest?.lower ?? -1),
};

function Rules() {
  const resource = useResource("rules/list", useFilterInput());
  const [words, setWords] = useState("");
  const isNarrow = isFilterSet(currentFilter.value);
  const filter: Filter = {
    status: getQueryParameter("status"),
    level: getQueryParameter("level"),
    sort: getQueryParameter("sort"),
  };
  const narrow = (next: Filter) => replaceLocation(makePath("/rules", next));
  return (
    <>
      <PageHead title="Rules" lead={resource.value && <Lead rules={resource.value} />}>
        <ActionBar subject={newSubject("rule")} label="Write" />
        <ChoiceField
          label="Status"
          value={filter.status}
          choices={statuses}
          onChange={(status) => narrow({ ...filter, status })}
        />
        <ChoiceField
          label="Level"
          value={filter.level}
          choices={levels}
          onChange={(level) => narrow({ ...filter, level })}
        />
        <ChoiceField
          label="Sort"
          value={filter.sort}
          choices={Object.keys(orders)}
          none="oldest first"
          onChange={(sort) => narrow({ ...filter, sort })}
        />
        <TextFilter label="Filter rules" value={words} onChange={setWords} />
      </PageHead>
      <Loaded resource={resource}>
        {(all) => {
          const fitting = all.filter((rule) => isMatching(rule, filter) && hasAllWords(listWords(rule), words));
          const order = orders[filter.sort ?? ""];
          const shown = order === undefined ? fitting : fitting.toSorted(order);
          if (all.length === 0) return <NoRules isNarrow={isNarrow} />;
          if (shown.length === 0) return <Empty title="No rule matches" text="Other words or filters may find it." />;
          return (
            <>
              <BacktestLegend />
              <ul class="divide-y divide-line border-y border-line">
                <IncrementalList items={shown}>{(rule) => <RuleEntry key={rule.id} rule={rule} />}</IncrementalList>
              </ul>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Lead({ rules: all }: { readonly rules: readonly Rule[] }) {
  const waiting = all.filter(({ waits }) => waits).length;
  return (
    <>
      {formatMany(all.length, "rule")}
      {waiting > 0 && (
        <>
          , <a href="/rules/review">{formatMany(waiting, "candidate")} to decide on</a>
        </>
      )}
    </>
  );
}

function NoRules({ isNarrow }: { readonly isNarrow: boolean }) {
  if (isNarrow) return <Empty title="No rule here" text="No rule of this workspace has evidence in this time range." />;
  return (
    <Empty
      title="No rules yet"
      text="Rules are distilled from mistakes that repeat. `oldhand report` shows which ones those are."
    />
  );
}

function isMatching(rule: Rule, { status, level }: Filter): boolean {
  return (status === null || rule.status === status) && (level === null || rule.level === level);
}

function listWords({ text, status, level, origin }: Rule): readonly string[] {
  return [text, status, level, origin];
}
