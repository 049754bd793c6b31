import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Memory } from "../../api/contract.ts";
import { useActions } from "../../api/use-actions.ts";
import type { CompletedAction } from "../history/done-notice.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";

type Props = {
  readonly memory: Memory;
  readonly onDone: (done: CompletedAction) => void;
  readonly onLeave: () => void;
};

/** Other words or another importance. In the owner's words a memory is the owner's. */
export function MemoryEditor({ memory, onDone, onLeave }: Props) {
  const actions = useActions();
  const [text, setText] = useState(memory.text);
  const [importance, setImportance] = useState(String(memory.importance));
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => area.current?.focus(), []);
  const save = async () => {
    const made = await actions.act("memories/edit", { id: memory.id, text, importance: Number(importance) });
    if (!made) return;
    const [change] = made.changes;
    const newText = made.memory.text === memory.text ? "Edited." : "Edited: it is your word now.";
    onDone({ text: change ? newText : "Nothing was changed.", change: change?.id ?? null });
    onLeave();
  };
  return (
    <form
      class="flex basis-full flex-col gap-3 border-t border-line pt-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => event.key === "Escape" && text === memory.text && onLeave()}
    >
      <label class="flex flex-col gap-1 text-sm text-soft">
        What it says
        <textarea
          ref={area}
          class="field min-h-20 w-full"
          required
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="flex flex-wrap items-center gap-3">
        <label class="flex items-center gap-2 text-sm text-soft">
          Importance
          <input
            type="number"
            class="field w-20"
            min={1}
            max={100}
            step={1}
            required
            value={importance}
            onInput={({ currentTarget }) => setImportance(currentTarget.value)}
          />
        </label>
        <button type="submit" class="press" disabled={actions.busy || text.trim() === ""}>
          Save
        </button>
        <button type="button" class="press" disabled={actions.busy} onClick={onLeave}>
          Leave as it is
        </button>
      </div>
      {actions.problem && <ProblemNotice problem={actions.problem} />}
    </form>
  );
}
