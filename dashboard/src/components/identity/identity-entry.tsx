import { useRef, useState } from "preact/hooks";
import type { IdentityFile } from "../../api/shapes.ts";
import { useActions } from "../../api/use-actions.ts";
import { type CompletedAction, DoneNotice } from "../history/done-notice.tsx";
import { IdentityEditor } from "./identity-editor.tsx";
import { IdentityText } from "./identity-text.tsx";
import { ProblemNotice } from "../frame/problem-notice.tsx";
import { WithCommands } from "../with-commands.tsx";

const fileDescriptions: Readonly<Record<string, string>> = {
  "SHIELD.md": "what must never happen",
  "SOUL.md": "who the agent is",
  "USER.md": "who you are",
  "HARNESS.md": "how it works here",
};

/** One file of the identity: what it says, where it is, and its editing in place. */
export function IdentityEntry({ file }: { readonly file: IdentityFile }) {
  const actions = useActions();
  const [done, setDone] = useState<CompletedAction | null>(null);
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    button.current?.focus();
  };
  const { name } = file;
  const isOfMemories = name === "USER.md";
  const save = async (text: string, base: string, reason: string) => {
    if (name === "USER.md") return;
    const made = await actions.act("soul/edit", { file: name, text, base, ...(reason === "" ? {} : { reason }) });
    if (!made) return;
    close();
    setDone({ text: made.change ? "Saved." : "Nothing was changed.", change: made.change?.id ?? null });
  };
  return (
    <li class="py-3" aria-label={file.name}>
      <div class="mb-1.5 flex items-start justify-between gap-x-4">
        <div class="min-w-0">
          <h3 class="font-medium">
            {file.name} <span class="font-normal text-soft">{fileDescriptions[file.name]}</span>
          </h3>
          <p class="text-xs break-all text-faint">{file.path}</p>
        </div>
        {isOfMemories ? (
          <a href="/memory" class="text-right text-sm">
            Change it in Memory
          </a>
        ) : (
          <button
            ref={button}
            type="button"
            class="press"
            aria-expanded={editing}
            aria-label={`Edit ${file.name}`}
            disabled={actions.busy}
            onClick={() => setEditing(!editing)}
          >
            Edit
          </button>
        )}
      </div>
      {editing ? (
        <IdentityEditor
          file={file}
          busy={actions.busy}
          onSave={(text, base, reason) => void save(text, base, reason)}
          onLeave={close}
        />
      ) : file.text === null ? (
        <p class="text-soft">
          <WithCommands text={isOfMemories ? NO_USER : "There is none."} />
        </p>
      ) : (
        <IdentityText text={file.text} guarded={file.guarded} />
      )}
      {actions.problem && <ProblemNotice problem={actions.problem} />}
      {(done !== null || actions.problem !== null) && (
        <DoneNotice done={done} actions={actions} onUndone={() => setDone({ text: "Taken back.", change: null })} />
      )}
    </li>
  );
}

const NO_USER =
  'Nothing yet: it is made of pinned memories about you, such as `oldhand remember "Call me Boss" --kind profile --pinned`.';
