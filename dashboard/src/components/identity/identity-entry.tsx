import type { IdentityFile } from "../../api/shapes.ts";
import { fileSubject } from "../../actions/subjects.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import { IdentityText } from "./identity-text.tsx";
import { WithCommands } from "../with-commands.tsx";

const fileDescriptions: Readonly<Record<string, string>> = {
  "SHIELD.md": "what must never happen",
  "SOUL.md": "who the agent is",
  "USER.md": "who you are",
  "HARNESS.md": "how it works here",
};

/** One identity file: its text, its path, and its actions. */
export function IdentityEntry({ file }: { readonly file: IdentityFile }) {
  const isOfMemories = file.name === "USER.md";
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
          <ActionBar subject={fileSubject(file)} first={["soul/edit"]} label={`Change ${file.name}`} />
        )}
      </div>
      {file.text === null ? (
        <p class="text-soft">
          <WithCommands text={isOfMemories ? NO_USER : "This file does not exist yet."} />
        </p>
      ) : (
        <IdentityText text={file.text} guarded={file.guarded} />
      )}
    </li>
  );
}

const NO_USER =
  'Nothing yet: it is made of pinned memories about you, such as `oldhand remember "Call me Boss" --kind profile --pinned`.';
