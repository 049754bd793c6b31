import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import { useFilterInput } from "../browser/current-filter.ts";
import { replaceLocation, getQueryParameter } from "../browser/location.ts";
import { makePath } from "../browser/route.ts";
import { ChoiceField } from "../components/choice-field.tsx";
import { newSubject } from "../actions/subjects.ts";
import { ActionBar } from "../components/actions/action-bar.tsx";
import { Empty } from "../components/frame/empty.tsx";
import { Loaded } from "../components/frame/loaded.tsx";
import { MemoryEntry } from "../components/memory/memory-entry.tsx";
import { PageHead } from "../components/frame/page-head.tsx";
import { RecallSearch } from "../components/memory/recall-search.tsx";
import { PageSection } from "../components/frame/page-section.tsx";
import { TextFilter } from "../components/text-filter.tsx";
import { formatMany } from "../text/count.ts";
import { hasAllWords } from "../text/has-all-words.ts";
import type { View } from "../view.ts";

export const memory: View = { path: "/memory", title: "Memory", nav: { key: "m" }, Page: MemoryPage };

const LIMIT = 200;
const statuses = ["active", "archived", "superseded"] as const;

function MemoryPage() {
  const status = statuses.find((one) => one === getQueryParameter("status")) ?? "active";
  const blocked = getQueryParameter("blocked") === "yes";
  const resource = useResource("memories/list", {
    status,
    limit: LIMIT,
    ...useFilterInput(),
    ...(blocked ? { blocked } : {}),
  });
  const target = getQueryParameter("memory");
  const [words, setWords] = useState("");
  const narrow = (next: { status?: string | null; blocked?: boolean }) =>
    replaceLocation(
      makePath("/memory", {
        status: next.status === undefined ? getQueryParameter("status") : next.status,
        blocked: (next.blocked ?? blocked) ? "yes" : null,
        query: getQueryParameter("query"),
      }),
    );
  return (
    <>
      <PageHead title="Memory" lead="What oldhand remembers, and what an agent would be shown">
        <ActionBar subject={newSubject("memory")} first={["remember"]} label="Write" />
      </PageHead>
      <RecallSearch />
      <PageSection title="Memories">
        <div class="mb-1 flex flex-wrap items-center gap-3">
          <ChoiceField
            label="Status"
            value={status}
            choices={statuses}
            none={null}
            onChange={(next) => narrow({ status: next })}
          />
          <label class="flex items-center gap-2 py-1 text-soft">
            <input
              type="checkbox"
              class="accent-link"
              checked={blocked}
              onChange={({ currentTarget }) => narrow({ blocked: currentTarget.checked })}
            />
            Blocked only
          </label>
          <TextFilter label="Filter memories" value={words} onChange={setWords} />
        </div>
        {target !== null && <OneMemory id={target} />}
        <Loaded resource={resource}>
          {({ memories }) => {
            const shown = memories.filter((one) => hasAllWords([one.text, one.key, one.kind, ...one.tags], words));
            if (shown.length === 0) {
              return memories.length === 0 ? (
                <Empty title="No memories here" text="Add one above, or with `oldhand remember`." />
              ) : (
                <Empty title="No memory matches" text="Other words may find it." />
              );
            }
            return (
              <>
                <ul class="divide-y divide-line border-y border-line">
                  {shown.map((one) => (
                    <MemoryEntry key={one.id} memory={one} />
                  ))}
                </ul>
                {memories.length >= LIMIT && (
                  <p class="mt-2 text-xs text-faint">The {formatMany(LIMIT, "most important one")} are shown.</p>
                )}
              </>
            );
          }}
        </Loaded>
      </PageSection>
    </>
  );
}

/** The memory that the address names, whatever its position in the list. */
function OneMemory({ id }: { readonly id: string }) {
  return (
    <Loaded resource={useResource("memories/show", { id })} rows={1}>
      {(one) => (
        <ul aria-label="The memory you looked for" class="-mx-3 mb-4 border-l-2 border-l-brass bg-mark px-3">
          <MemoryEntry memory={one} />
        </ul>
      )}
    </Loaded>
  );
}
