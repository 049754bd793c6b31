import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isRecord, tryParseJson } from "../../../lib/json.ts";

/** How a call ended, as Codex records it next to the result for the model. */
export interface CodexCallEnd {
  readonly callId: string;
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
}

const TAIL_BYTES = 256 * 1024;

/** Searches only the end of the transcript, because the line was written just before the hook started. */
export function findCallEnd(path: string, callId: string): CodexCallEnd | null {
  const quoted = JSON.stringify(callId);
  const lines = readTail(path).split("\n");
  for (const line of lines.toReversed()) {
    if (!line.includes(quoted)) continue;
    const end = parseCallEnd(tryParseJson(line));
    if (end?.callId === callId) return end;
  }
  return null;
}

/** How a call ended, from a line of the transcript; null if the line is about something else. */
export function parseCallEnd(line: unknown): CodexCallEnd | null {
  const payload = isRecord(line) && line["type"] === "event_msg" ? line["payload"] : null;
  if (!isRecord(payload)) return null;
  // Older versions have one event per kind of call instead of items.
  const isOld = typeof payload["type"] === "string" && /^(exec_command|patch_apply)_end$/.test(payload["type"]);
  const item = isOld ? payload : payload["type"] === "item_completed" ? payload["item"] : null;
  if (!isRecord(item)) return null;
  const callId = isOld ? item["call_id"] : item["id"];
  const exitCode = wholeNumber(item["exit_code"]);
  if (typeof callId !== "string" || !(exitCode !== null || "status" in item || "success" in item)) return null;
  // -1: the command was still running when the session ended and stopped it.
  if (exitCode === -1) return { callId, ok: true, exitCode: null, durationMs: parseDuration(item["duration"]) };
  const failed = item["status"] === "failed" || item["status"] === "declined" || item["success"] === false;
  return { callId, ok: !failed && (exitCode ?? 0) === 0, exitCode, durationMs: parseDuration(item["duration"]) };
}

function parseDuration(value: unknown): number | null {
  if (!isRecord(value) || typeof value["secs"] !== "number" || typeof value["nanos"] !== "number") return null;
  return wholeNumber(Math.round(value["secs"] * 1_000 + value["nanos"] / 1_000_000));
}

function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

/** Empty if the file cannot be read; then only the hook's payload is used. */
function readTail(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const tail = Buffer.allocUnsafe(Math.min(size, TAIL_BYTES));
      return tail.toString("utf8", 0, readSync(file, tail, 0, tail.length, size - tail.length));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
