import { currentFilter } from "../../browser/current-filter.ts";
import { openDialog } from "../../browser/dialogs.ts";
import { formatRange, isFilterSet } from "../../browser/page-filter.ts";
import { workspaceName } from "../../text/workspace-name.ts";
import type { ViewFilter } from "../../view.ts";

/** Shows the page's filter and opens the dialog that changes it. */
export function FilterButton({ by }: { readonly by: ViewFilter }) {
  const { range, workspace } = currentFilter.value;
  const isSet = (by.time && range.kind !== "all") || (by.workspace && workspace !== null);
  const parts = [
    ...(by.time ? [formatRange(range, by.days)] : []),
    ...(by.workspace ? [workspace === null ? "all workspaces" : workspaceName(workspace)] : []),
  ];
  if (parts.length === 0) return <Unfiltered />;
  return (
    <button
      type="button"
      class={`press flex min-w-0 items-center gap-2 ${isSet ? "border-brass" : ""}`}
      aria-haspopup="dialog"
      aria-keyshortcuts="f"
      title={workspace ?? undefined}
      onClick={() => (openDialog.value = "filter")}
    >
      <svg class="size-3.5 shrink-0 fill-none stroke-current" viewBox="0 0 14 14" stroke-width="1.3" aria-hidden="true">
        <circle cx="7" cy="7" r="5.4" />
        <path d="M7 3.8V7l2.2 1.5" stroke-linecap="round" />
      </svg>
      <span class="truncate">{parts.join(" · ")}</span>
      <kbd aria-hidden="true" class="text-faint max-sm:hidden">
        f
      </kbd>
    </button>
  );
}

/** The filter is kept for other pages; this note says that it does not apply to this one. */
function Unfiltered() {
  if (!isFilterSet(currentFilter.value)) return null;
  return <p class="min-w-0 truncate text-sm text-faint">Not narrowed by time or workspace</p>;
}
