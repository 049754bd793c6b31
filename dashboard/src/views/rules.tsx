import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import { query } from "../browser/location.ts";
import { Empty } from "../components/empty.tsx";
import { Loaded } from "../components/loaded.tsx";
import { PageHead } from "../components/page-head.tsx";
import { RuleEntry } from "../components/rule-entry.tsx";
import { TextFilter } from "../components/text-filter.tsx";
import { many } from "../text/count.ts";
import { mentions } from "../text/mentions.ts";
import type { View } from "../view.ts";

export const rules: View = { path: "/rules", title: "Rules", nav: { key: "r" }, Page: Rules };

function Rules() {
  const resource = useResource("rules/list", {});
  const [words, setWords] = useState("");
  const asked = query("id");
  return (
    <>
      <PageHead title="Rules" lead={resource.value && many(resource.value.length, "rule")}>
        <TextFilter label="Filter rules" value={words} onChange={setWords} />
      </PageHead>
      <Loaded resource={resource}>
        {(all) => {
          const shown = all.filter((rule) => mentions([rule.text, rule.status, rule.level, rule.origin], words));
          if (all.length === 0) return <NoRules />;
          if (shown.length === 0) return <Empty title="No rule fits" text="Other words may find it." />;
          return (
            <ul class="divide-y divide-line border-y border-line">
              {shown.map((rule) => (
                <RuleEntry key={rule.id} rule={rule} asked={rule.id === asked} />
              ))}
            </ul>
          );
        }}
      </Loaded>
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
