import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { IdentityFile } from "../../api/shapes.ts";

type Props = {
  readonly file: IdentityFile;
  readonly busy: boolean;
  readonly onSave: (text: string, base: string, reason: string) => void;
  readonly onLeave: () => void;
};

/** The whole text of a file. What it was made from goes along, so that what changes meanwhile is not overwritten. */
export function IdentityEditor({ file, busy, onSave, onLeave }: Props) {
  const [base] = useState(file.text ?? "");
  const [text, setText] = useState(base);
  const [reason, setReason] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => area.current?.focus(), []);
  return (
    <form
      class="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text, base, reason.trim());
      }}
      onKeyDown={(event) => event.key === "Escape" && text === base && onLeave()}
    >
      <label class="flex flex-col gap-1 text-sm text-soft">
        Text of {file.name}
        <textarea
          ref={area}
          class="field w-full font-mono text-sm"
          rows={Math.min(30, Math.max(8, text.split("\n").length + 1))}
          required
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="flex flex-wrap items-center gap-3">
        <label class="flex min-w-0 flex-1 basis-64 items-center gap-2 text-sm text-soft sm:max-w-100">
          Why
          <input
            class="field min-w-0 flex-1"
            placeholder="for the growth log, if you like"
            maxLength={500}
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        <button type="submit" class="press" disabled={busy || text.trim() === "" || text === base}>
          Save
        </button>
        <button type="button" class="press" disabled={busy} onClick={onLeave}>
          Leave as it is
        </button>
      </div>
    </form>
  );
}
