import type { Context } from "../../context.ts";
import { chatEntryOut } from "../../converse/session/chat-entry.ts";
import { toEntry } from "../../converse/session/entry-log.ts";
import type { ShownEvent } from "../../converse/session/shown-events.ts";
import { listChatEntryPage } from "../../store/chat/chat-entries.ts";
import type { OpenChats } from "./open-chats.ts";

export interface ChatStreamMessage {
  readonly event: "entries" | "state" | "text";
  readonly data: string;
}

/** What a page that shows a session is sent. */
export interface ChatFollower {
  /** Something may have changed in the store. */
  look(): void;
  /** What is new since the last call: entries, the state, or the end of the text that is being written. */
  take(): AsyncIterable<ChatStreamMessage>;
  stop(): void;
}

const PAGE = 100;

/** Follows a session, whichever process has it. Texts are sent as they come if this server has it, entries always. */
export function followChat(
  { mind, chats }: { readonly mind: Context; readonly chats: OpenChats },
  of: { readonly session: string; readonly after: number },
  wake: () => void,
): ChatFollower {
  let after = of.after;
  let isStale = true;
  let isLonger = false;
  let sent = "";
  /** What was sent of the text that is being written. */
  let shown = { since: 0, text: "", reasoning: "" };
  const stop = chats.follow(of.session, (event: ShownEvent | null) => {
    if (event?.kind === "answer" || event?.kind === "reasoning") isLonger = true;
    else isStale = true;
    wake();
  });

  const readState = async (): Promise<readonly ChatStreamMessage[]> => {
    const state = await chats.state(of.session);
    const data = JSON.stringify(state);
    if (state === null || data === sent) return [];
    sent = data;
    const { since = 0, text = "", reasoning = "" } = state.live ?? {};
    shown = { since, text, reasoning };
    return [{ event: "state", data }];
  };

  /** The rest of the text; the whole state if it is another text. */
  const readText = async (): Promise<readonly ChatStreamMessage[]> => {
    const live = chats.live(of.session);
    if (live === null) return [];
    const { since, text, reasoning } = live;
    // What was sent may have changed: a mark stands for a secret as soon as it is known to be one.
    const isMore = text.startsWith(shown.text) && reasoning.startsWith(shown.reasoning);
    if (since !== shown.since || !isMore) return readState();
    const rest = { text: text.slice(shown.text.length), reasoning: reasoning.slice(shown.reasoning.length) };
    shown = { since, text, reasoning };
    sent = "";
    return [{ event: "text", data: JSON.stringify(rest) }];
  };

  return {
    look: () => {
      isStale = true;
    },
    stop,
    take: async function* () {
      const wasStale = isStale;
      [isStale, isLonger] = [false, isLonger && !wasStale];
      if (wasStale) {
        for (let isMore = true; isMore;) {
          const found = await listChatEntryPage(mind.db, of.session, { after, limit: PAGE });
          after = found.at(-1)?.seq ?? after;
          isMore = found.length === PAGE;
          const entries = found.map((one) => chatEntryOut(toEntry(one), false));
          if (entries.length > 0) yield { event: "entries", data: JSON.stringify({ entries }) };
        }
        yield* await readState();
      } else if (isLonger) {
        isLonger = false;
        yield* await readText();
      }
    },
  };
}
