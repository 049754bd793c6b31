import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord, stableJson, tryParseJson } from "../../../lib/json.ts";
import { readFileTail } from "../../transcripts/read-tail.ts";

/**
 * Copilot's hooks tell no id of a call, its transcript does: while the hook after a call runs, the call is in there,
 * begun and not ended. Of several that are the same, the first. Null: there is no transcript; "unknown": the call is
 * not to be found in it.
 */
export function findOpenCall(path: string | null, tool: string, input: unknown): string | null {
  if (path === null) return null;
  const tail = readFileTail(path, TAIL_BYTES);
  // Copilot writes it a little later than it calls us; where it keeps none at all, there is nothing to wait for.
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

/** The results of calls that run side by side lie between a call and its end. */
const TAIL_BYTES = 262_144;
