import { extractMarkers } from "../../../domain/memory/markers.ts";
import { unquoted } from "../../../domain/trust/quote.ts";
import { dropUndone, type EntryOf, textOf, toolCallsOf } from "../../../converse/turn/active-entries.ts";
import type { Entry } from "../../../converse/turn/entry.ts";
import { oneLine } from "../../../lib/text.ts";
import { typedPart } from "../../../domain/turn/message-data.ts";
import type { ShownPiece, TakenMessage } from "./chat-update.ts";

/** How many pieces of a resumed session are shown. */
export const SHOWN = 60;

/** The last pieces of a conversation, and how many messages came before them. */
export function listShownPieces(
  entries: readonly Entry[],
  limit: number,
): { readonly shown: readonly ShownPiece[]; readonly earlier: number } {
  const active = dropUndone(entries);
  const shown: ShownPiece[] = [];
  let at = active.length;
  // From the end, so that a long session costs no more than a short one.
  while (at > 0 && shown.length < limit) {
    at--;
    const entry = active[at];
    if (entry !== undefined) shown.unshift(...toPieces(entry, active, at));
  }
  const earlier = active.slice(0, at).filter(({ kind }) => kind === "user" || kind === "assistant").length;
  return { shown, earlier };
}

function toPieces(entry: Entry, entries: readonly Entry[], at: number): readonly ShownPiece[] {
  switch (entry.kind) {
    case "user":
      return [{ kind: "user", text: typedPart(entry.text), taken: takenOf(entry) }];
    case "assistant": {
      const text = extractMarkers(textOf(entry.message)).shown;
      return text.trim() === "" ? [] : [{ kind: "answer", text }];
    }
    case "tool": {
      const { id, ok, diff, closed } = entry;
      const text = entry.forPerson ?? unquoted(entry.text);
      return [{ kind: "tool", id, summary: summariseCall(entry.name, id, entries, at), ok, text, diff, closed }];
    }
    case "compaction":
      return [{ kind: "notice", text: formatCompacted(entry.tokensBefore, entry.tokensAfter) }];
    case "turn-end":
      return entry.reason === "done"
        ? []
        : [{ kind: "notice", text: formatTurnEnd(entry, hasAnswers(entries, entry.turn, at)) }];
    default:
      return [];
  }
}

function takenOf({ inbox, isSteered, at }: EntryOf<"user">): TakenMessage | undefined {
  if (inbox === null) return undefined;
  return { as: isSteered === true ? "steer" : "queue", at };
}

/** The tool with the first text of its input, such as a path or a command. */
function summariseCall(name: string, id: string, entries: readonly Entry[], at: number): string {
  for (let before = at - 1; before >= 0; before--) {
    const entry = entries[before];
    if (entry?.kind !== "assistant") continue;
    const input: unknown = toolCallsOf(entry.message).find((call) => call.id === id)?.input;
    const first = Object.values(input ?? {}).find((value): value is string => typeof value === "string");
    return oneLine([verbs[name] ?? name, ...(first === undefined ? [] : [first])].join(" "), 300);
  }
  return name;
}

/** As the tools themselves say it while they run; the first screen cannot wait until they are loaded. */
const verbs: Readonly<Record<string, string>> = {
  shell: "run",
  grep: "search",
  web_fetch: "fetch",
  web_search: "search the web for",
  sub_agent: "sub-agent:",
};

export function formatCompacted(before: number, after: number): string {
  return `Compacted: ${before} tokens became ${after}.`;
}

/** `hasAnswered`: the model has read the person's message, and what it said or did is kept. */
export function formatTurnEnd(
  { reason, message }: { readonly reason: string; readonly message: string | null },
  hasAnswered: boolean,
): string {
  const why = ends[reason] ?? `The turn ended (${reason}).`;
  const text = message === null || message === "" || message === why ? why : `${why} ${message}`;
  const then = next[reason] === undefined ? undefined : hasAnswered ? GO_ON : next[reason];
  return then === undefined ? text : `${text}\n${then}`;
}

/** Whether something that the model said or called in this turn is kept. */
export function hasAnswers(entries: readonly Entry[], turn: number, until = entries.length): boolean {
  for (let at = until - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry?.kind === "user" && entry.turn < turn) return false;
    if (entry?.kind === "assistant" && entry.turn === turn && entry.message.parts.length > 0) return true;
  }
  return false;
}

/** Sent again, the message would be a second task for it. */
const GO_ON =
  "The model has your message, and knows what it did so far. Type `go on`, or what you want instead. /undo takes the turn back.";

/** The same text, sent again, reaches the model once. */
const AGAIN =
  "Send the same message to try again. If you send a different one, the model sees both. /undo takes your message back.";

/** What becomes of the person's message, which stays in the session without any answer. */
const next: Readonly<Record<string, string>> = {
  capped: AGAIN,
  failed: AGAIN,
  died: AGAIN,
  stopped: "The model gets your message with the next one. /undo takes it back.",
};

const ends: Readonly<Record<string, string>> = {
  stopped: "Stopped. Everything so far is kept.",
  budget: "The turn ended early.",
  capped: "The turn ended:",
  failed: "The turn failed:",
  handoff: "The context is full.",
  died: "The process ended in the middle of this turn.",
};
