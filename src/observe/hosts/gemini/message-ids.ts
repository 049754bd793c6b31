import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { hashText } from "../../../lib/hash.ts";
import { isRecord, stableJson, tryParseJson } from "../../../lib/json.ts";

/**
 * Gemini CLI's hooks send no ids, but the transcript has them. While a hook runs, the last message in the transcript
 * is the one before the event: for a call the model's message that requested it, for a prompt the previous message.
 * So hooks and transcripts both derive an event's id from that message. Only two calls with the same input in one
 * message share an id.
 */
export function buildCallId(message: string, tool: string, input: unknown): string {
  return `${message}:${hashText(stableJson([tool, input]))}`;
}

export function buildPromptId(message: string, prompt: string): string {
  return `${message}:${hashText(prompt)}`;
}

/** The id of the last message in the transcript, from the model or from anyone; null if it cannot be found. */
export function findLastMessageId(path: string | null, whose: "model" | "any"): string | null {
  const lines = path === null ? [] : readTail(path).split("\n");
  for (const line of lines.toReversed()) {
    const id = parseMessageId(tryParseJson(line), whose);
    if (id !== null) return id;
  }
  return null;
}

/** The messages of a line: one message, or all messages if the line replaces them. */
export function parseMessages(line: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(line)) return [];
  const anew = isRecord(line["$set"]) ? line["$set"]["messages"] : line["messages"];
  const messages = Array.isArray(anew) ? anew : [line];
  return messages.filter((message) => isRecord(message) && typeof message["id"] === "string");
}

function parseMessageId(line: unknown, whose: "model" | "any"): string | null {
  const last = parseMessages(line).findLast((message) => whose === "any" || message["type"] === "gemini");
  return typeof last?.["id"] === "string" ? last["id"] : null;
}

const TAIL_BYTES = 65_536;

function readTail(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
      const got = readSync(file, tail, 0, tail.length, size - tail.length);
      return tail.toString("utf8", 0, got);
    } finally {
      closeSync(file);
    }
  } catch {
    // Deleted, a folder, or not readable: the event then gets an id from its time.
    return "";
  }
}
