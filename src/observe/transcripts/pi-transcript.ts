import type { Policy } from "../../domain/policy.ts";
import { parseTime } from "../../lib/clock.ts";
import { isRecord, stringOr, tryParseJson } from "../../lib/json.ts";
import type { TranscriptItem } from "../protocol/host.ts";
import { readLines } from "./lines.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../protocol/to-event.ts";
import { readPiContent, piPromptId } from "./pi-texts.ts";

type JsonObject = Readonly<Record<string, unknown>>;

interface OpenCall {
  readonly input: unknown;
  readonly model: string | null;
  readonly at: number;
}

interface Head {
  readonly session: string;
  readonly cwd: string | null;
  /** Older entries were copied from the session that this one branched off. */
  readonly from: number;
}

/** A line about the session, then one entry per line: pi's format, also used by hosts that are built on pi. */
export async function* readPiTranscript(
  path: string,
  policy: Policy["observe"],
  host: string,
): AsyncIterable<TranscriptItem> {
  const openCalls = new Map<string, OpenCall>();
  let head: Head | null = null;
  for await (const text of readLines(path)) {
    const line = tryParseJson(text);
    if (!isRecord(line)) continue;
    if (isSessionHead(line)) head = parseHead(line);
    const at = parseTime(line["timestamp"]);
    const message = isRecord(line["message"]) ? line["message"] : {};
    if (head === null || at === null || at < head.from || line["type"] !== "message") continue;
    const base = { ...blankEvent, host, session: head.session, cwd: head.cwd, at };
    if (message["role"] === "assistant") addOpenCalls(openCalls, message, at);
    else if (message["role"] === "user") yield* parsePrompt(message, base, policy);
    else if (message["role"] === "toolResult") yield* parseResult(message, { openCalls, base, policy });
  }
}

export function isSessionHead(first: JsonObject): boolean {
  return first["type"] === "session" && typeof first["id"] === "string" && "cwd" in first;
}

function parseHead(line: JsonObject): Head {
  const isBranch = typeof line["parentSession"] === "string";
  return {
    session: stringOr(line["id"], ""),
    cwd: stringOr(line["cwd"], null) || null,
    from: (isBranch ? parseTime(line["timestamp"]) : null) ?? Number.NEGATIVE_INFINITY,
  };
}

function parsePrompt(message: JsonObject, base: TranscriptItem, policy: Policy["observe"]): readonly TranscriptItem[] {
  const prompt = (readPiContent(message["content"]) ?? "").trim();
  if (prompt === "") return [];
  const uid = `prompt:${piPromptId(message["timestamp"]) ?? base.at}`;
  return [{ ...base, kind: "prompt", uid, text: redactAndCap(prompt, policy.payloadCharacters) }];
}

function addOpenCalls(openCalls: Map<string, OpenCall>, message: JsonObject, at: number): void {
  const parts = Array.isArray(message["content"]) ? message["content"].filter(isRecord) : [];
  for (const { type, id, arguments: input } of parts)
    if (type === "toolCall" && typeof id === "string")
      openCalls.set(id, { input: input ?? null, model: stringOr(message["model"], null), at });
}

function parseResult(
  message: JsonObject,
  known: {
    readonly openCalls: Map<string, OpenCall>;
    readonly base: TranscriptItem;
    readonly policy: Policy["observe"];
  },
): readonly TranscriptItem[] {
  const uid = stringOr(message["toolCallId"], "");
  const tool = stringOr(message["toolName"], "");
  const call = known.openCalls.get(uid);
  if (tool === "" || call === undefined) return [];
  known.openCalls.delete(uid);
  const end = { ok: message["isError"] !== true, text: readPiContent(message["content"]), exitCode: null };
  return [
    {
      ...known.base,
      uid,
      model: call.model,
      durationMs: Math.max(0, known.base.at - call.at),
      ...toCallEventFields({ tool, input: call.input, ...end }, known.policy),
    },
  ];
}
