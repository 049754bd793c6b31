import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApiProblem } from "../../api/api-result.ts";
import { ProblemNotice } from "../frame/problem-notice.tsx";
import { useKeys } from "../frame/use-keys.ts";
import { keepDraft, readDraft } from "./draft.ts";

type Props = {
  /** Names the draft. */
  readonly draft: string;
  readonly label: string;
  /** True while a turn runs: the message is queued, or steers. */
  readonly isWorking: boolean;
  /** Returns null if the message is stored. */
  readonly onSend: (text: string, meanwhile: "steer" | "queue") => Promise<ApiProblem | null>;
  /** A text to begin with, such as the message of a turn that was taken back. */
  readonly given?: string | null;
  readonly children?: ComponentChildren;
};

const MOST_ROWS = 12;

/** The field for a message. Enter sends, Shift and Enter begin a new line. */
export function Composer({ draft, label, isWorking, onSend, given = null, children }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => readDraft(draft));
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  useKeys({ c: { does: "Write a message", run: () => field.current?.focus() } });

  const change = (next: string) => {
    keepDraft(draft, next);
    setText(next);
  };
  useLayoutEffect(() => {
    if (given !== null && given !== "" && text === "") change(given);
  }, [given]);
  const send = async (meanwhile: "steer" | "queue") => {
    if (isSending || text.trim() === "") return;
    setIsSending(true);
    const failed = await onSend(text, meanwhile);
    setIsSending(false);
    setProblem(failed);
    if (failed === null) change("");
    field.current?.focus();
  };
  const isEmpty = text.trim() === "";
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void send("queue");
      }}
    >
      {problem && <ProblemNotice problem={problem} />}
      <textarea
        ref={field}
        class="field w-full resize-none"
        aria-label={label}
        aria-keyshortcuts="c"
        placeholder={isWorking ? "Write the next message" : "Write a message"}
        rows={Math.min(MOST_ROWS, Math.max(2, text.split("\n").length))}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") return event.currentTarget.blur();
          // While an input method composes a word, Enter belongs to it.
          if (event.key !== "Enter" || event.shiftKey || event.altKey || event.isComposing) return;
          event.preventDefault();
          void send(isWorking && (event.ctrlKey || event.metaKey) ? "steer" : "queue");
        }}
      />
      <div class="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-2">
        {children}
        <div class="ml-auto flex gap-2">
          {isWorking && (
            <button
              type="button"
              class="press"
              disabled={isEmpty || isSending}
              title="The model sees it with its next call (Ctrl Enter)"
              onClick={() => void send("steer")}
            >
              Steer
            </button>
          )}
          <button
            type="submit"
            class="press border-link font-medium text-link"
            disabled={isEmpty || isSending}
            title={isWorking ? "It is sent after this turn (Enter)" : "Enter"}
          >
            {isWorking ? "Queue" : "Send"}
          </button>
        </div>
      </div>
    </form>
  );
}
