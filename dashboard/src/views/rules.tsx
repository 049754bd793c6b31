import { useState } from "preact/hooks";
import type { Rule } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { replaceLocation, getQueryParameter } from "../browser/location.ts";
import { makePath } from "../browser/route.ts";
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

const statuses = ["candidate", "approved", "dormant", "retired", "rejected", "merged"] as const;

type Filter = { readonly status: string | null; readonly level: string | null };

function Rules() {
  const resource = useResource("rules/list", {});
  const [words, setWords] = useState("");
  const filter: Filter = { status: getQueryParameter("status"), level: getQueryParameter("level") };
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
        <TextFilter label="Filter rules" value={words} onChange={setWords} />
      </PageHead>
      <Loaded resource={resource}>
        {(all) => {
          const shown = all.filter((rule) => isMatching(rule, filter) && hasAllWords(listWords(rule), words));
          if (all.length === 0) return <NoRules />;
          if (shown.length === 0) return <Empty title="No rule fits" text="Other words or filters may find it." />;
          return (
            <ul class="divide-y divide-line border-y border-line">
              <IncrementalList items={shown}>{(rule) => <RuleEntry key={rule.id} rule={rule} />}</IncrementalList>
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}

function Lead({ rules: all }: { readonly rules: readonly Rule[] }) {
  const waiting = all.filter(({ status }) => status === "candidate").length;
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

function NoRules() {
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
