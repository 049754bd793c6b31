import { useState } from "preact/hooks";
import type { Piece } from "../../api/shapes.ts";
import { useQueryOnce } from "../../api/use-query-once.ts";
import { currentFilter } from "../../browser/current-filter.ts";
import { navigateTo, getQueryParameter } from "../../browser/location.ts";
import { makePath } from "../../browser/route.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { Badge, type Tone } from "../badge.tsx";
import { Empty } from "../frame/empty.tsx";
import { Loaded } from "../frame/loaded.tsx";
import { Time } from "../time.tsx";

/** Runs a recall as an agent would, and shows its result. */
export function RecallSearch() {
  const submitted = getQueryParameter("query");
  const { workspace } = currentFilter.value;
  const [words, setWords] = useState(submitted ?? "");
  // A recall counts as a use of what it finds, so it runs only on submit, not on every refresh.
  const resource = useQueryOnce(
    "recall",
    submitted === null ? null : { query: submitted, limit: 10, ...(workspace === null ? {} : { workspace }) },
  );
  return (
    <section class="mb-8">
      <form
        role="search"
        aria-label="Recall"
        class="mb-3 flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (words.trim() === submitted) resource.reload();
          else navigateTo(makePath("/memory", { query: words.trim() }));
        }}
      >
        <label class="flex min-w-0 flex-1 basis-64 flex-col gap-1 text-sm text-soft">
          What an agent would be shown{workspace === null ? "" : ` in ${workspaceName(workspace)}`}
          <input
            type="search"
            class="field w-full"
            placeholder="a situation or a question"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </label>
        <button type="submit" class="press text-base">
          Recall
        </button>
      </form>
      {submitted !== null && (
        <Loaded resource={resource} rows={3}>
          {({ pieces, note }) =>
            pieces.length === 0 ? (
              <Empty title="Nothing found" text="An agent that asks this is shown nothing." />
            ) : (
              <>
                {note !== null && (
                  <p role="note" class="mb-2 text-sm text-warn">
                    {note}
                  </p>
                )}
                <ol aria-label="What is recalled" class="divide-y divide-line border-y border-line">
                  {pieces.map((piece) => (
                    <PieceRow key={`${piece.tier} ${piece.id}`} piece={piece} />
                  ))}
                </ol>
              </>
            )
          }
        </Loaded>
      )}
    </section>
  );
}

const tones: Readonly<Record<string, Tone>> = { semantic: "brass", working: "good" };

function PieceRow({ piece }: { readonly piece: Piece }) {
  return (
    <li class="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 py-2">
      <div class="min-w-0 flex-1 basis-64">
        {piece.blocked === null ? (
          <p class="line-clamp-4 break-words whitespace-pre-wrap">{piece.text}</p>
        ) : (
          <p class="text-warn">Hidden from agents: {piece.blocked}</p>
        )}
        <p class="flex flex-wrap items-baseline gap-x-3 text-xs text-faint">
          <Badge tone={tones[piece.tier] ?? "quiet"}>{piece.tier}</Badge>
          <span>from {piece.origin}</span>
          <span class="text-soft" title={`score ${piece.score.toPrecision(2)}`}>
            {piece.why}
          </span>
          {piece.at !== null && <Time at={piece.at} />}
          <code class="break-all">{piece.id}</code>
        </p>
      </div>
      {piece.tier === "semantic" && (
        <ActionBar
          subject={{
            on: "memory",
            id: piece.id,
            title: piece.text ?? "",
            state: { status: "active", text: piece.text },
          }}
          first={["memories/confirm", "memories/contradict"]}
          only
        />
      )}
    </li>
  );
}
