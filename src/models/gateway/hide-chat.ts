import type { Placeholders } from "../../domain/model/placeholders.ts";
import type { ChatEvent, ChatMessage, ChatPart, ChatRequest, ChatTool } from "../chat/chat.ts";

/**
 * Replaces secrets by placeholders in the system prompt, in texts, in tool inputs and results, and in tool descriptions. Names,
 * ids, reasoning and signatures stay unchanged, because a provider checks them.
 */
export function hideChat<Chat extends Omit<ChatRequest, "model">>(chat: Chat, placeholders: Placeholders): Chat {
  const { system = null, messages, tools = [] } = chat;
  const hidden = placeholders.hide({
    system,
    messages: messages.map(({ parts }) => parts.map(openPart)),
    tools: tools.map(({ description }) => description),
  });
  return {
    ...chat,
    ...(chat.system === undefined ? {} : { system: hidden.system ?? "" }),
    messages: messages.map((message, at) => ({
      ...message,
      parts: message.parts.map((part, number) => closePart(part, hidden.messages[at]?.[number])),
    })),
    ...(chat.tools === undefined
      ? {}
      : { tools: tools.map((tool, at): ChatTool => ({ ...tool, description: hidden.tools[at] ?? "" })) }),
  };
}

/** Puts the secrets back into the events of an answer; a placeholder may be split over several events. */
export function restoreEvents(placeholders: Placeholders): {
  take(event: ChatEvent): readonly ChatEvent[];
} {
  const pieces = placeholders.restorePieces();
  const flush = (): readonly ChatEvent[] => {
    const text = pieces.end();
    return text === "" ? [] : [{ kind: "text", text }];
  };
  return {
    take: (event) => {
      if (event.kind === "text") {
        const text = pieces.push(event.text);
        return text === "" ? [] : [{ kind: "text", text }];
      }
      if (event.kind === "tool-call") return [...flush(), { ...event, input: placeholders.restore(event.input) }];
      if (event.kind === "finish")
        return [...flush(), { ...event, message: restoreMessage(event.message, placeholders) }];
      return [...flush(), event];
    },
  };
}

function restoreMessage(message: ChatMessage, placeholders: Placeholders): ChatMessage {
  return {
    ...message,
    parts: message.parts.map((part) => closePart(part, placeholders.restore(openPart(part)))),
  };
}

/** The content of a part that may hold a secret. */
function openPart(part: ChatPart): unknown {
  if (part.kind === "text" || part.kind === "tool-result") return part.text;
  return part.kind === "tool-call" ? part.input : null;
}

function closePart(part: ChatPart, opened: unknown): ChatPart {
  if (part.kind === "text" || part.kind === "tool-result") return { ...part, text: opened as string };
  return part.kind === "tool-call" ? { ...part, input: opened } : part;
}
