import type { Policy } from "../../domain/policy.ts";
import { parseTime } from "../../lib/clock.ts";
import { isRecord, stringOr, tryParse } from "../../lib/json.ts";
import type { TranscriptItem } from "../protocol/host.ts";
import { linesOf } from "./lines.ts";
import { blank, clean, rawCall } from "../protocol/to-event.ts";
import { contentText, promptName } from "./pi-texts.ts";

type JsonObject = Readonly<Record<string, unknown>>;

interface Asked {
  readonly input: unknown;
  readonly model: string | null;
  readonly at: number;
}

interface Head {
  readonly session: string;
  readonly cwd: string | null;
  /** What is older was copied from the session that this one branched off. */
  readonly from: number;
}

/** First the session, then its entries, one to a line: as pi keeps it, and hosts that are built on it. */
export async function* readEntries(
  path: string,
  policy: Policy["observe"],
  host: string,
): AsyncIterable<TranscriptItem> {
  const asked = new Map<string, Asked>();
  let head: Head | null = null;
  for await (const text of linesOf(path)) {
    const line = tryParse(text);
    if (!isRecord(line)) continue;
    if (isSessionHead(line)) head = headOf(line);
    const at = parseTime(line["timestamp"]);
    const message = isRecord(line["message"]) ? line["message"] : {};
    if (head === null || at === null || at < head.from || line["type"] !== "message") continue;
    const base = { ...blank, host, session: head.session, cwd: head.cwd, at };
    if (message["role"] === "assistant") remember(asked, message, at);
    else if (message["role"] === "user") yield* promptIn(message, base, policy);
    else if (message["role"] === "toolResult") yield* resultIn(message, { asked, base, policy });
  }
}

export function isSessionHead(first: JsonObject): boolean {
  return first["type"] === "session" && typeof first["id"] === "string" && "cwd" in first;
}

function headOf(line: JsonObject): Head {
  const isBranch = typeof line["parentSession"] === "string";
  return {
    session: stringOr(line["id"], ""),
    cwd: stringOr(line["cwd"], null) || null,
    from: (isBranch ? parseTime(line["timestamp"]) : null) ?? Number.NEGATIVE_INFINITY,
  };
}

function promptIn(message: JsonObject, base: TranscriptItem, policy: Policy["observe"]): readonly TranscriptItem[] {
  const prompt = (contentText(message["content"]) ?? "").trim();
  if (prompt === "") return [];
  const uid = `prompt:${promptName(message["timestamp"]) ?? base.at}`;
  return [{ ...base, kind: "prompt", uid, text: clean(prompt, policy.payloadCharacters) }];
}

function remember(asked: Map<string, Asked>, message: JsonObject, at: number): void {
  const parts = Array.isArray(message["content"]) ? message["content"].filter(isRecord) : [];
  for (const { type, id, arguments: input } of parts)
    if (type === "toolCall" && typeof id === "string")
      asked.set(id, { input: input ?? null, model: stringOr(message["model"], null), at });
}

function resultIn(
  message: JsonObject,
  known: {
    readonly asked: Map<string, Asked>;
    readonly base: TranscriptItem;
    readonly policy: Policy["observe"];
  },
): readonly TranscriptItem[] {
  const uid = stringOr(message["toolCallId"], "");
  const tool = stringOr(message["toolName"], "");
  const call = known.asked.get(uid);
  if (tool === "" || call === undefined) return [];
  known.asked.delete(uid);
  const end = { ok: message["isError"] !== true, text: contentText(message["content"]), exitCode: null };
  return [
    {
      ...known.base,
      uid,
      model: call.model,
      durationMs: Math.max(0, known.base.at - call.at),
      ...rawCall({ tool, input: call.input, ...end }, known.policy),
    },
  ];
}
