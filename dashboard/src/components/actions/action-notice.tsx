import { isBusy, notice, undoLast } from "../../actions/run-action.ts";
import { WithCommands } from "../with-commands.tsx";

/**
 * The result of the last action, with an undo button. Rendered even when empty, so that a screen reader announces
 * changes.
 */
export function ActionNotice() {
  const now = notice.value;
  return (
    <div class="pointer-events-none fixed inset-x-0 bottom-4 z-30 flex justify-center px-3">
      <div role="status">
        {now !== null && (
          <div
            class={`pointer-events-auto flex max-w-[44rem] flex-wrap items-center gap-x-4 gap-y-1 rounded-md border bg-raised px-4 py-2.5 text-sm shadow-lg ${now.problem === null ? "border-edge" : "border-fail"}`}
          >
            <span class={`min-w-0 break-words ${now.problem === null ? "" : "text-fail"}`}>
              {now.text}
              {now.problem?.hint != null && (
                <span class="text-soft">
                  {" "}
                  <WithCommands text={now.problem.hint} />
                </span>
              )}
            </span>
            <span class="flex gap-3">
              {now.changes.length > 0 && (
                <button
                  type="button"
                  class="font-medium text-link underline-offset-3 hover:underline"
                  disabled={isBusy.value}
                  onClick={() => void undoLast()}
                >
                  Take it back
                </button>
              )}
              <button
                type="button"
                class="text-faint hover:text-ink"
                aria-label="Dismiss"
                onClick={() => (notice.value = null)}
              >
                ×
              </button>
            </span>
          </div>
        )}
      </div>
    </div>
  );
}
