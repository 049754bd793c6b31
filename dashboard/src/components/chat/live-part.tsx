import type { LiveTurn } from "../../api/chat.ts";
import type { ChatEntry } from "../../api/contract.ts";
import { Reasoning } from "./entry-view.tsx";
import { Markdown } from "./markdown.tsx";

type Props = { readonly live: LiveTurn; readonly entries: readonly ChatEntry[] };

/** What is being written now. */
export function LivePart({ live, entries }: Props) {
  // The answer may be stored before the server drops the text.
  const isStored = entries.some(({ kind, seq }) => kind === "assistant" && seq > live.since);
  const { text, reasoning, notices } = live;
  return (
    <>
      {notices.map((notice, index) => (
        <p key={index} class="text-sm [overflow-wrap:anywhere] text-brass">
          {notice}
        </p>
      ))}
      {!isStored && (
        <>
          {reasoning !== "" && <Reasoning text={reasoning} />}
          {text !== "" && <Markdown text={text} />}
        </>
      )}
    </>
  );
}
