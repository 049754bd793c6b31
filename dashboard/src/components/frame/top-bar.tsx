import { openDialog } from "../../browser/dialogs.ts";
import type { ViewFilter } from "../../view.ts";
import { FilterButton } from "./filter-button.tsx";

/** The bar above every page: search and the page's filter. */
export function TopBar({ filter }: { readonly filter: ViewFilter }) {
  return (
    <div
      role="search"
      aria-label="Search and filter"
      class="flex items-center justify-between gap-3 border-b border-line py-2.5"
    >
      <button
        type="button"
        class="press flex items-center gap-2 text-soft sm:w-72"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => (openDialog.value = "palette")}
      >
        <svg
          class="size-3.5 shrink-0 fill-none stroke-current"
          viewBox="0 0 14 14"
          stroke-width="1.4"
          aria-hidden="true"
        >
          <circle cx="6" cy="6" r="4.3" />
          <path d="m9.3 9.3 3.2 3.2" stroke-linecap="round" />
        </svg>
        <span>
          Search<span class="max-sm:hidden"> or run a command</span>
        </span>
        <kbd aria-hidden="true" class="ml-auto text-faint max-sm:hidden">
          Ctrl K
        </kbd>
      </button>
      <div class="flex min-w-0 items-center gap-2">
        <FilterButton by={filter} />
        <button
          type="button"
          class="press shrink-0 px-2 text-soft max-sm:hidden"
          aria-label="Show all keys"
          aria-haspopup="dialog"
          aria-keyshortcuts="?"
          onClick={() => (openDialog.value = "keys")}
        >
          ?
        </button>
      </div>
    </div>
  );
}
