import type { Actions } from "../../api/use-actions.ts";

export type CompletedAction = {
  readonly text: string;
  readonly change: number | null;
  /** What belongs to the same decision, and is taken back with it. */
  readonly beside?: readonly number[];
};

type Props = {
  readonly done: CompletedAction | null;
  readonly actions: Actions;
  readonly onUndone: () => void;
  /** Where the page has a key for it. */
  readonly undoKey?: string;
};

/** What was just decided, and the way back. It is there also when empty, so that a screen reader hears it change. */
export function DoneNotice({ done, actions, onUndone, undoKey }: Props) {
  const undo = async (id: number) => {
    for (const one of [id, ...(done?.beside ?? [])]) if (!(await actions.act("undo", { id: one }))) return;
    onUndone();
  };
  const { change = null } = done ?? {};
  return (
    <p role="status" class="flex min-h-[1.75rem] flex-wrap items-center gap-x-3 text-sm text-soft">
      {done?.text}
      {change !== null && (
        <button
          type="button"
          class="text-link underline-offset-3 hover:underline"
          disabled={actions.busy}
          aria-keyshortcuts={undoKey}
          onClick={() => void undo(change)}
        >
          Take it back{undoKey && <kbd class="ml-1.5 text-faint">{undoKey}</kbd>}
        </button>
      )}
    </p>
  );
}
