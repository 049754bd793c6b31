import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord, stableJson, tryParseJson } from "../../../lib/json.ts";
import { readFileTail } from "../../transcripts/read-tail.ts";

/**
 * The id of the call that a hook after the call reports. Copilot's hooks do not send it, but the transcript has it:
 * while the hook runs, the call is recorded there as started and not ended. If several are equal, the first one
 * counts. Null if there is no transcript; "unknown" if the call is not in it.
 */
export function findOpenCall(path: string | null, tool: string, input: unknown): string | null {
  if (path === null) return null;
  const tail = readFileTail(path, TAIL_BYTES);
  // Copilot writes the file a little later than it calls us. If it keeps no sessions at all, no transcript will
  // follow.
  if (tail === null) return existsSync(dirname(dirname(path))) ? "unknown" : null;
  const wanted = stableJson([tool, input]);
  const ended = new Set<unknown>();
  let found = "unknown";
  for (const line of tail.split("\n").toReversed()) {
    if (!relevantLine.test(line)) continue;
    const event = tryParseJson(line);
    const data = isRecord(event) && isRecord(event["data"]) ? event["data"] : {};
    if (typeof data["toolCallId"] !== "string") continue;
    if (line.startsWith(COMPLETE)) ended.add(data["toolCallId"]);
    else if (!ended.has(data["toolCallId"]) && stableJson([data["toolName"], data["arguments"] ?? null]) === wanted)
      found = data["toolCallId"];
  }
  return found;
}

const COMPLETE = '{"type":"tool.execution_complete"';
const relevantLine = /^\{"type":"tool\.execution_(?:start|complete)"/;

/** Results of parallel calls may be between the start of a call and its end. */
const TAIL_BYTES = 262_144;
