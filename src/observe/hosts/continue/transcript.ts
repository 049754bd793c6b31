import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Policy } from "../../../domain/policy.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { readWholeText } from "../../transcripts/whole-text.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * `~/.continue/sessions/<id>.json`: the whole session in one object. The only time is that of its start, in the list
 * next to it, so the items follow it in their order, one millisecond apart.
 */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const file = tryParseJson(readWholeText(path));
  const session = isRecord(file) ? stringOr(file["sessionId"], "") : "";
  if (!isRecord(file) || session === "") return;
  const cwd = stringOr(file["workspaceDirectory"], null) || null;
  const base = { ...blankEvent, host: "continue", session, cwd };
  let at = readStartTime(path, session);
  for (const [index, entry] of readList(file, "history").entries()) {
    const message = isRecord(entry["message"]) ? entry["message"] : {};
    const prompt = message["role"] === "user" ? readContent(message["content"]).trim() : "";
    if (prompt !== "")
      yield {
        ...base,
        at: at++,
        kind: "prompt",
        uid: `prompt:${index}`,
        text: redactAndCap(prompt, policy.payloadCharacters),
      };
    const model = isRecord(message["usage"]) ? stringOr(message["usage"]["model"], null) : null;
    for (const state of readList(entry, "toolCallStates")) {
      const call = parseCall(state, policy);
      if (call !== null) yield { ...base, at: at++, model, ...call };
    }
  }
}

/** Null if the call did not finish: it never ran, or the session broke off. */
function parseCall(state: JsonObject, policy: Policy["observe"]): Pick<TranscriptItem, "uid"> | null {
  const call = isRecord(state["toolCall"]) ? state["toolCall"] : {};
  const { name } = isRecord(call["function"]) ? call["function"] : {};
  const uid = stringOr(state["toolCallId"], "");
  const { status } = state;
  if (uid === "" || typeof name !== "string" || !["done", "errored", "canceled"].includes(String(status))) return null;
  const text = readList(state, "output").map((part) => stringOr(part["content"], ""));
  const end = { ok: status === "done", text: text.join("\n"), exitCode: null };
  return { uid, ...toCallEventFields({ tool: name, input: state["parsedArgs"] ?? null, ...end }, policy) };
}

function readStartTime(path: string, session: string): number {
  const beside = join(dirname(path), "sessions.json");
  const list = existsSync(beside) ? tryParseJson(readWholeText(beside)) : [];
  const known = Array.isArray(list) ? list.filter(isRecord).find((one) => one["sessionId"] === session) : undefined;
  const began = Number(known?.["dateCreated"] ?? Number.NaN);
  return Number.isFinite(began) ? began : Math.round(statSync(path).mtimeMs);
}

/** Content is a string or a list of parts. */
function readContent(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts.map((part) => stringOr(part["text"], "")).join("\n");
}

function readList(value: JsonObject, key: string): readonly JsonObject[] {
  const found = value[key];
  return Array.isArray(found) ? found.filter(isRecord) : [];
}
