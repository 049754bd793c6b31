import { useState } from "preact/hooks";
import type { Input } from "../../api/api-result.ts";
import type { Rule } from "../../api/contract.ts";

type Props = {
  readonly rule: Rule;
  readonly busy: boolean;
  readonly onSave: (edit: Input<"rules/edit">) => void;
  readonly onLeave: () => void;
};

export const levels = ["watch", "advise", "nudge", "ask", "deny"] as const;

/** Another wording or level. */
export function RuleEditor({ rule, busy, onSave, onLeave }: Props) {
  const [text, setText] = useState(rule.text);
  const [level, setLevel] = useState(rule.level);
  return (
    <form
      class="mt-3 flex flex-col gap-3 border-y border-line py-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSave({ id: rule.id, text: text.trim(), level });
      }}
      onKeyDown={(event) => event.key === "Escape" && onLeave()}
    >
      <label class="flex flex-col gap-1 text-sm text-soft">
        Sentence
        <textarea
          class="field min-h-20 w-full"
          required
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="flex flex-wrap items-center gap-3">
        <label class="flex items-center gap-2 text-sm text-soft">
          Level
          <select
            class="field"
            value={level}
            onChange={({ currentTarget }) => setLevel(levels[currentTarget.selectedIndex] ?? level)}
          >
            {levels.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="press" disabled={busy || text.trim() === ""}>
          Save
        </button>
        <button type="button" class="press" disabled={busy} onClick={onLeave}>
          Leave as it is
        </button>
      </div>
    </form>
  );
}
