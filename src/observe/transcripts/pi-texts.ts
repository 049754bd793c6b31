import { isRecord } from "../../lib/json.ts";

/** The text of a message's content, a string or parts, without what our extension added. */
export function readPiContent(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content
    .flatMap((part) => (isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .filter((text) => !text.startsWith("<oldhand>\n"));
  return texts.length > 0 ? texts.join("\n") : null;
}

/** Messages have no id while they are sent, but the transcript keeps the time of a user's message. */
export function piPromptId(timestamp: unknown): string | null {
  return typeof timestamp === "number" && Number.isFinite(timestamp) ? String(timestamp) : null;
}
