import { useEffect, useState } from "preact/hooks";
import type { Output } from "../api/api-result.ts";
import type { RepeatedMistake } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { useFilterInput } from "../browser/current-filter.ts";
import { getQueryParameter } from "../browser/location.ts";
import { TrendChart } from "../components/chart/trend-chart.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { IncrementalList } from "../components/incremental-list.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { MistakeEntry } from "../components/mistakes/mistake-entry.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { TextFilter } from "../components/text-filter.tsx";
import { formatMany } from "../text/count.ts";
import { hasAllWords } from "../text/has-all-words.ts";
import type { View } from "../view.ts";

type Report = Output<"report">;

export const failures: View = {
  path: "/failures",
  title: "Failures",
  nav: { key: "f" },
  Page: Failures,
};

const LIMIT = 200;
/** The first request asks for a screenful only, because it is answered sooner than one for all. */
const FIRST = 30;
const REST_AFTER_MS = 250;

function Failures() {
  const [whole, setWhole] = useState(false);
  const resource = useResource("report", { limit: whole ? LIMIT : FIRST, ...useFilterInput() });
  const isThere = resource.value !== null;
  useEffect(() => {
    if (whole || !isThere) return;
    const timer = setTimeout(() => setWhole(true), REST_AFTER_MS);
    return () => clearTimeout(timer);
  }, [whole, isThere]);
  const [words, setWords] = useState("");
  return (
    <>
      <PageHead roomy title="Failures" lead={resource.value && makeLead(resource.value)}>
        <TextFilter label="Filter mistakes" value={words} onChange={setWords} />
      </PageHead>
      <div class="mb-6">
        <TrendChart label="Failed calls by day" show={["failures"]} />
      </div>
      <Loaded resource={{ ...resource, stale: false }} rows={12}>
        {({ mistakes }) => <Ranking mistakes={mistakes} words={words} />}
      </Loaded>
    </>
  );
}

function Ranking({ mistakes, words }: { readonly mistakes: readonly RepeatedMistake[]; readonly words: string }) {
  const wanted = getQueryParameter("signature");
  const most = Math.max(...mistakes.map((mistake) => mistake.count));
  const shown = mistakes.filter((mistake) => hasAllWords(listWords(mistake), words));
  if (mistakes.length === 0) {
    return (
      <Empty
        title="No mistake has repeated"
        text="A failure is listed here once it happens in two sessions. A wider time range, or `oldhand import`, may bring some."
      />
    );
  }
  if (shown.length === 0) return <Empty title="No mistake matches" text="Other words may find it." />;
  return (
    <ol class="divide-y divide-line border-y border-line">
      <IncrementalList items={shown}>
        {(mistake) => (
          <MistakeEntry
            key={mistake.signature}
            mistake={mistake}
            share={mistake.count / most}
            isTarget={mistake.signature === wanted}
          />
        )}
      </IncrementalList>
    </ol>
  );
}

function makeLead({ totals, mistakes }: Report): string {
  if (totals.failures === 0) return "Calls that failed, and the mistakes made in more than one session";
  const repeated = `${formatMany(totals.failures, "failure")} in ${formatMany(totals.sessions, "session")}, ${formatMany(totals.repeated, "mistake")} made in more than one; most expensive first`;
  return mistakes.length < totals.repeated ? `${repeated}, ${mistakes.length} shown` : repeated;
}

function listWords({ text, tool, head, workspaces, hosts }: RepeatedMistake): readonly (string | null)[] {
  return [text, tool, head, ...workspaces, ...hosts];
}
