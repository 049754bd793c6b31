import { useState } from "preact/hooks";
import type { Rule } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { amend, query } from "../browser/location.ts";
import { pathWith } from "../browser/route.ts";
import { Choice } from "../components/choice.tsx";
import { Empty } from "../components/empty.tsx";
import { Growing } from "../components/growing.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { levels } from "../components/rule-edit.tsx";
import { RuleEntry } from "../components/rule-entry.tsx";
import { TextFilter } from "../components/text-filter.tsx";
import { many } from "../text/count.ts";
import { mentions } from "../text/mentions.ts";
import type { View } from "../view.ts";

export const rules: View = { path: "/rules", title: "Rules", nav: { key: "r" }, Page: Rules };

const statuses = ["candidate", "approved", "dormant", "retired", "rejected", "merged"] as const;

type Filter = { readonly status: string | null; readonly level: string | null };

function Rules() {
  const resource = useResource("rules/list", {});
  const [words, setWords] = useState("");
  const filter: Filter = { status: query("status"), level: query("level") };
  const narrow = (next: Filter) => amend(pathWith("/rules", next));
  return (
    <>
      <PageHead title="Rules" lead={resource.value && <Lead rules={resource.value} />}>
        <Choice
          label="Status"
          value={filter.status}
          choices={statuses}
          onChange={(status) => narrow({ ...filter, status })}
        />
        <Choice
          label="Level"
          value={filter.level}
          choices={levels}
          onChange={(level) => narrow({ ...filter, level })}
        />
        <TextFilter label="Filter rules" value={words} onChange={setWords} />
      </PageHead>
      <Loaded resource={resource}>
        {(all) => {
          const shown = all.filter((rule) => fits(rule, filter) && mentions(wordsOf(rule), words));
          if (all.length === 0) return <NoRules />;
          if (shown.length === 0) return <Empty title="No rule fits" text="Other words or filters may find it." />;
          return (
            <ul class="divide-y divide-line border-y border-line">
              <Growing items={shown}>{(rule) => <RuleEntry key={rule.id} rule={rule} />}</Growing>
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
      {many(all.length, "rule")}
      {waiting > 0 && (
        <>
          , <a href="/rules/review">{many(waiting, "candidate")} to decide on</a>
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

function fits(rule: Rule, { status, level }: Filter): boolean {
  return (status === null || rule.status === status) && (level === null || rule.level === level);
}

function wordsOf({ text, status, level, origin }: Rule): readonly string[] {
  return [text, status, level, origin];
}
