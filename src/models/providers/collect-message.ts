import type { ChatEvent, ChatMessage, ChatPart } from "../chat/chat.ts";

/** Joins the pieces of a stream into the message that the next request sends back. */
export interface CollectedMessage {
  addText(text: string): ChatEvent;
  addReasoning(text: string): ChatEvent;
  /** Ends the current reasoning part, with the provider's data for it, such as a signature. */
  sealReasoning(opaque: unknown): void;
  addToolCall(call: Omit<Extract<ChatPart, { kind: "tool-call" }>, "kind">): ChatEvent;
  message(): ChatMessage;
  /** The number of characters received, to estimate tokens if the provider reports none. */
  characters(): number;
}

export function collectMessage(): CollectedMessage {
  const parts: ChatPart[] = [];
  let open: { kind: "text" | "reasoning"; pieces: string[] } | null = null;
  let characters = 0;
  const close = (opaque: unknown = null) => {
    const text = open?.pieces.join("") ?? "";
    if (open?.kind === "text" && text !== "") parts.push({ kind: "text", text });
    // Reasoning may be empty and still have a signature.
    if (open?.kind === "reasoning" && (text !== "" || opaque !== null)) parts.push({ kind: "reasoning", text, opaque });
    open = null;
  };
  const add = (kind: "text" | "reasoning", text: string): ChatEvent => {
    if (open?.kind !== kind) close();
    open ??= { kind, pieces: [] };
    open.pieces.push(text);
    characters += text.length;
    return { kind, text };
  };
  return {
    addText: (text) => add("text", text),
    addReasoning: (text) => add("reasoning", text),
    sealReasoning: (opaque) => {
      if (open?.kind !== "reasoning") close();
      open ??= { kind: "reasoning", pieces: [] };
      close(opaque);
    },
    addToolCall: ({ id, name, input, opaque }) => {
      close();
      parts.push({ kind: "tool-call", id, name, input, ...(opaque === undefined ? {} : { opaque }) });
      characters += name.length + JSON.stringify(input ?? null).length;
      return { kind: "tool-call", id, name, input };
    },
    message: () => {
      close();
      return { role: "assistant", parts: [...parts] };
    },
    characters: () => characters,
  };
}
