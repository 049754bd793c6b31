import { useState } from "preact/hooks";
import type { Change } from "../api/contract.ts";
import { useResource } from "../api/use-resource.ts";
import { useFilterInput } from "../browser/current-filter.ts";
import { replaceLocation, getQueryParameter } from "../browser/location.ts";
import { makePath } from "../browser/route.ts";
import { ChangeEntry } from "../components/history/change-entry.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { TextFilter } from "../components/text-filter.tsx";
import { TimeTravel } from "../components/history/time-travel.tsx";
import { formatForInput } from "../text/ago.ts";
import { describeChange, nameSubject } from "../text/describe-change.ts";
import { hasAllWords } from "../text/has-all-words.ts";
import type { View } from "../view.ts";

export const history: View = {
  path: "/history",
  title: "History",
  nav: { key: "h" },
  Page: History,
};

const PAGE = 50;

function History() {
  const before = getQueryParameter("before");
  const resource = useResource("history", {
    limit: PAGE,
    ...useFilterInput(),
    ...(before === null ? {} : { before: parseId(before) }),
  });
  const [words, setWords] = useState("");
  const at = parseTime(getQueryParameter("at"));
  return (
    <>
      <PageHead title="History" lead="Every change, who made it and why">
        <label class="flex items-center gap-2 text-soft">
          Compare now with
          <input
            type="datetime-local"
            step={1}
            class="field"
            value={at === null ? "" : formatForInput(at)}
            onChange={({ currentTarget }) =>
              replaceLocation(makePath("/history", { before, at: toIso(currentTarget.value) }))
            }
          />
        </label>
        <TextFilter label="Filter this page" value={words} onChange={setWords} />
      </PageHead>
      {at !== null && (
        <div class="mb-8">
          <TimeTravel time={new Date(at).toISOString()} />
        </div>
      )}
      <Loaded resource={resource} rows={10}>
        {({ changes }) => (
          <>
            <Changes changes={changes} words={words} />
            <nav aria-label="More changes" class="mt-4 flex justify-between">
              {before === null ? <span /> : <a href="/history">← Newest</a>}
              {changes.length >= PAGE && <a href={makePath("/history", { before: changes.at(-1)?.id })}>Older →</a>}
            </nav>
          </>
        )}
      </Loaded>
    </>
  );
}

type ChangesProps = {
  readonly changes: readonly Change[];
  readonly words: string;
};

function Changes({ changes, words }: ChangesProps) {
  const shown = changes.filter((change) => hasAllWords(listWords(change), words));
  if (changes.length === 0) {
    return (
      <Empty
        title="Nothing has changed here"
        text="Each rule learned, edited or retired is written here, and can be undone."
      />
    );
  }
  if (shown.length === 0) return <Empty title="No change matches" text="Other words may find it." />;
  return (
    <ol class="divide-y divide-line border-y border-line">
      {shown.map((change) => (
        <ChangeEntry key={change.id} change={change} />
      ))}
    </ol>
  );
}

/** Returns 0, which is no change's id, if the text is not a number. */
function parseId(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : 0;
}

function parseTime(text: string | null): number | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

// The field holds local time; the address and the server use UTC.
function toIso(local: string): string | null {
  const ms = parseTime(local);
  return ms === null ? null : new Date(ms).toISOString();
}

function listWords(change: Change): readonly (string | null)[] {
  const { summary, actor, noun, subject, cause } = change;
  return [nameSubject(change), describeChange(change), summary, actor, noun, subject, cause.kind, cause.note];
}
