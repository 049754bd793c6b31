import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { hashText } from "../../../lib/hash.ts";
import { isRecord, stableJson, tryParseJson } from "../../../lib/json.ts";

/**
 * Gemini CLI's hooks tell no ids, its transcript does. But while a hook runs, the last thing in the transcript is what
 * the moment follows from: for a call the model's message that asked for it, for a prompt the message before. So both
 * name an event after that message. Only two calls with the same input in one message share a name.
 */
export function buildCallId(message: string, tool: string, input: unknown): string {
  return `${message}:${hashText(stableJson([tool, input]))}`;
}

export function buildPromptId(message: string, prompt: string): string {
  return `${message}:${hashText(prompt)}`;
}

/** The id of the last message in the transcript, of the model's or of any; null where it cannot be told. */
export function findLastMessageId(path: string | null, whose: "model" | "any"): string | null {
  const lines = path === null ? [] : readTail(path).split("\n");
  for (const line of lines.toReversed()) {
    const id = parseMessageId(tryParseJson(line), whose);
    if (id !== null) return id;
  }
  return null;
}

/** Of a line: a message, or the messages as they are from here on. */
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
    // Gone, a folder, not ours to read: the event is then named after its time.
    return "";
  }
}
