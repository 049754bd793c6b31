import { isRecord, stableJson, tryParseJson } from "../../../lib/json.ts";
import type { CallFields } from "../../protocol/hook-event.ts";
import { readFileTail } from "../../transcripts/read-tail.ts";

export interface RecentCalls {
  /** The id of the call that a hook after the call reports; null if it is not found. */
  readonly callId: string | null;
  /** Calls that failed since the last hook after a call; no hook reported them. */
  readonly failed: readonly CallFields[];
}

/**
 * Droid's hooks send no call id, but the transcript has it: while the hook after a call runs, the call is recorded
 * there without a result. If several are equal, the first one counts. Null if there is no transcript.
 */
export function findRecentCalls(path: string | null, tool: string, input: unknown): RecentCalls | null {
  const tail = path === null ? null : readFileTail(path, TAIL_BYTES);
  if (tail === null) return null;
  const wanted = stableJson([tool, input]);
  const open = new Map<string, CallFields>();
  let failed: CallFields[] = [];
  for (const line of tail.split("\n")) {
    const message = parseDroidMessage(line);
    if (message?.["hookEventName"] === "PostToolUse") failed = [];
    for (const part of listMessageParts(message)) {
      if (part["type"] === "tool_use") addOpenCall(open, part);
      if (part["type"] !== "tool_result" || typeof part["tool_use_id"] !== "string") continue;
      const call = open.get(part["tool_use_id"]);
      if (call && part["is_error"] === true) failed.push(call);
      open.delete(part["tool_use_id"]);
    }
  }
  const mine = [...open.values()].find((call) => stableJson([call.tool, call.input]) === wanted);
  return { callId: mine?.callId ?? null, failed };
}

function addOpenCall(open: Map<string, CallFields>, part: Readonly<Record<string, unknown>>): void {
  const { id, name, input } = part;
  if (typeof id === "string" && typeof name === "string" && name !== "")
    open.set(id, { tool: name, input: input ?? null, callId: id });
}

export function parseDroidMessage(line: string): Readonly<Record<string, unknown>> | null {
  const entry = tryParseJson(line);
  return isRecord(entry) && entry["type"] === "message" && isRecord(entry["message"]) ? entry["message"] : null;
}

export function listMessageParts(
  message: Readonly<Record<string, unknown>> | null,
): readonly Record<string, unknown>[] {
  const parts = message?.["content"];
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
}

const TAIL_BYTES = 131_072;
