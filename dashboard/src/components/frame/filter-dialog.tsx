import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../api/use-resource.ts";
import { currentFilter, setFilter } from "../../browser/current-filter.ts";
import { openDialog } from "../../browser/dialogs.ts";
import { spans, spanTitles, type TimeRange } from "../../browser/page-filter.ts";
import { formatMany } from "../../text/count.ts";
import { hasAllWords } from "../../text/has-all-words.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import type { ViewFilter } from "../../view.ts";
import { Modal } from "./modal.tsx";
import { ModalHead } from "./modal-head.tsx";

/** Sets the time range and the workspace for every page. A choice takes effect at once. */
export function FilterDialog({ by }: { readonly by: ViewFilter }) {
  const clear = () => setFilter({ range: { kind: "all" }, workspace: null });
  return (
    <Modal name="filter" label="Time and workspace" place="sm:mt-14 sm:w-[38rem]">
      <ModalHead title="Time and workspace" />
      <div class="grid min-h-0 gap-x-8 gap-y-5 overflow-y-auto px-4 py-4 sm:grid-cols-[14rem_minmax(0,1fr)] sm:px-5">
        {by.time ? <TimeChoice days={by.days} /> : <Without what="time" />}
        {by.workspace ? <WorkspaceChoice /> : <Without what="workspace" />}
      </div>
      <div class="flex justify-end gap-2 border-t border-line px-4 py-2.5 sm:px-5">
        <button type="button" class="press" onClick={clear}>
          Show everything
        </button>
        <button type="button" class="press border-link text-link" onClick={() => (openDialog.value = null)}>
          Done
        </button>
      </div>
    </Modal>
  );
}

function Without({ what }: { readonly what: string }) {
  return <p class="text-sm text-faint">This page is not narrowed by {what}.</p>;
}

function TimeChoice({ days }: { readonly days: number | undefined }) {
  const { range } = currentFilter.value;
  const choose = (next: TimeRange) => setFilter({ range: next });
  return (
    <fieldset>
      <legend class="mb-1 text-xs font-medium text-faint">Time</legend>
      <Option group="range" isChosen={range.kind === "all"} onChoose={() => choose({ kind: "all" })}>
        <span>
          All time
          {days !== undefined && <span class="block text-xs text-faint">on this page: the last {days} days</span>}
        </span>
      </Option>
      {spans.map((span) => (
        <Option
          key={span}
          group="range"
          isChosen={range.kind === "last" && range.span === span}
          onChoose={() => choose({ kind: "last", span })}
        >
          {spanTitles[span]}
        </Option>
      ))}
      <Days range={range} onChange={choose} />
    </fieldset>
  );
}

function Days({ range, onChange }: { readonly range: TimeRange; readonly onChange: (range: TimeRange) => void }) {
  const { from, to } = range.kind === "between" ? range : { from: null, to: null };
  const change = (next: { readonly from: string | null; readonly to: string | null }) =>
    onChange(next.from === null && next.to === null ? { kind: "all" } : { kind: "between", ...next });
  return (
    <div class="mt-2 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1.5 text-sm text-soft">
      <label for="filter-from">From</label>
      <DayField id="filter-from" value={from} onChange={(day) => change({ from: day, to })} />
      <label for="filter-to">To</label>
      <DayField id="filter-to" value={to} onChange={(day) => change({ from, to: day })} />
    </div>
  );
}

type DayProps = {
  readonly id: string;
  readonly value: string | null;
  readonly onChange: (day: string | null) => void;
};

function DayField({ id, value, onChange }: DayProps) {
  return (
    <input
      id={id}
      type="date"
      class="field w-full"
      value={value?.slice(0, 10) ?? ""}
      onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
    />
  );
}

function WorkspaceChoice() {
  const { workspace } = currentFilter.value;
  const [words, setWords] = useState("");
  const known = useResource("workspaces/list", { limit: 200 }).value?.workspaces ?? [];
  // A workspace from the address stays selectable even if nothing was recorded in it.
  const isKnown = workspace === null || known.some((one) => one.workspace === workspace);
  const all = isKnown ? known : [{ workspace, sessions: 0, lastAt: null }, ...known];
  const shown = all.filter((one) => one.workspace === workspace || hasAllWords([one.workspace], words));
  return (
    <fieldset class="flex min-h-0 min-w-0 flex-col">
      <legend class="mb-1 text-xs font-medium text-faint">Workspace</legend>
      <input
        type="search"
        class="field mb-1.5 w-full"
        aria-label="Find a workspace"
        placeholder="Find a workspace"
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <div class="max-h-64 overflow-y-auto">
        <Option group="workspace" isChosen={workspace === null} onChoose={() => setFilter({ workspace: null })}>
          All workspaces
        </Option>
        {shown.map((one) => (
          <Option
            key={one.workspace}
            group="workspace"
            isChosen={one.workspace === workspace}
            onChoose={() => setFilter({ workspace: one.workspace })}
          >
            <span class="min-w-0 flex-1">
              <span class="block truncate">{workspaceName(one.workspace)}</span>
              <span class="block truncate text-xs text-faint" title={one.workspace}>
                {one.workspace}
              </span>
            </span>
            <span class="shrink-0 text-xs text-faint">{formatMany(one.sessions, "session")}</span>
          </Option>
        ))}
        {shown.length === 0 && all.length > 0 && <p class="py-1 text-sm text-faint">No workspace matches.</p>}
      </div>
    </fieldset>
  );
}

type OptionProps = {
  readonly group: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
};

function Option({ group, isChosen, onChoose, children }: OptionProps) {
  return (
    <label class="flex cursor-pointer items-center gap-2.5 rounded px-2 py-1 hover:bg-ink/4 has-checked:bg-mark">
      <input
        type="radio"
        name={group}
        class="shrink-0 accent-link"
        // The dialog opens with the focus on the current choice.
        autofocus={isChosen && group === "range"}
        checked={isChosen}
        onChange={onChoose}
      />
      {children}
    </label>
  );
}
