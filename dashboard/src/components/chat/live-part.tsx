import type { LiveTurn } from "../../api/chat.ts";
import type { ChatEntry } from "../../api/contract.ts";
import { Reasoning } from "./entry-view.tsx";
import { Markdown } from "./markdown.tsx";

/** False if there is nothing to show beside the entries. The answer may be stored before the server drops the text. */
export function isBeingWritten({ text, reasoning, since }: LiveTurn, entries: readonly ChatEntry[]): boolean {
  return text + reasoning !== "" && !entries.some(({ kind, seq }) => kind === "assistant" && seq > since);
}

/** What is being written now. */
export function LivePart({ live: { text, reasoning } }: { readonly live: LiveTurn }) {
  return (
    <>
      {reasoning !== "" && <Reasoning text={reasoning} />}
      {text !== "" && <Markdown text={text} />}
    </>
  );
}
