import { useRef, useState } from "preact/hooks";
import { useActions } from "../../api/use-actions.ts";
import { currentFilter } from "../../browser/current-filter.ts";
import { formatPercent } from "../../text/count.ts";
import { Chevron } from "../chevron.tsx";
import { type CompletedAction, DoneNotice } from "../history/done-notice.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";

const kinds = ["fact", "preference", "decision", "profile"] as const;

/** A memory by hand: the owner's word. */
export function MemoryForm() {
  const form = useRef<HTMLFormElement>(null);
  const actions = useActions();
  const [done, setDone] = useState<CompletedAction | null>(null);
  const save = async () => {
    if (form.current === null) return;
    const given = new FormData(form.current);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    const made = await actions.act("remember", {
      text: text("text"),
      kind: kinds.find((one) => one === text("kind")),
      importance: Number(text("importance")),
      pinned: given.get("pinned") !== null,
      ...(text("workspace") === "" ? { everywhere: true } : { workspace: text("workspace") }),
    });
    if (!made) return setDone(null);
    if (!made.written) {
      const known = made.similarity === null ? "" : ` (${formatPercent(made.similarity)} alike)`;
      return setDone({ text: `Known already${known}: “${made.memory.text}”`, change: null });
    }
    form.current.reset();
    setDone({ text: "Remembered.", change: made.changes[0]?.id ?? null });
  };
  return (
    <details class="group mb-6 border-y border-line">
      <summary class="flex items-center gap-2 py-2 text-soft hover:text-ink">
        <Chevron /> Add a memory
      </summary>
      <form
        ref={form}
        class="grid max-w-[60rem] gap-3 pb-3 sm:grid-cols-[minmax(0,1fr)_10rem_8rem]"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label class="flex flex-col gap-1 text-sm text-soft sm:col-span-3">
          What to remember, as a statement
          <textarea name="text" class="field min-h-16 w-full" required maxLength={20_000} />
        </label>
        <label class="flex flex-col gap-1 text-sm text-soft">
          Workspace, if it holds only there
          <input
            name="workspace"
            class="field w-full"
            placeholder="everywhere"
            autocomplete="off"
            defaultValue={currentFilter.value.workspace ?? ""}
          />
        </label>
        <label class="flex flex-col gap-1 text-sm text-soft">
          Kind
          <select name="kind" class="field">
            {kinds.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label class="flex flex-col gap-1 text-sm text-soft">
          Importance
          <input name="importance" type="number" class="field" min={1} max={100} required defaultValue="50" />
        </label>
        <div class="flex flex-wrap items-center gap-4 sm:col-span-3">
          <button type="submit" class="press" disabled={actions.busy}>
            Remember it
          </button>
          <label class="flex items-center gap-2 text-sm text-soft">
            <input type="checkbox" name="pinned" class="accent-link" /> Always known (pinned)
          </label>
        </div>
      </form>
      {actions.problem && <ProblemNotice problem={actions.problem} />}
      <DoneNotice done={done} actions={actions} onUndone={() => setDone({ text: "Taken back.", change: null })} />
    </details>
  );
}
