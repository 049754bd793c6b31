import type { Policy } from "../../../domain/policy.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import { openOther, type OtherDatabase, type Row } from "../../../store/sqlite/others.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { blank, clean, rawCall } from "../../protocol/to-event.ts";
import { callEnd } from "./call-end.ts";

interface Session {
  readonly cwd: string | null;
  readonly model: string | null;
}

interface Asked {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
}

/** `~/.hermes/state.db`: every session it had, wherever its user spoke to it from. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const database = openOther(path);
  try {
    const sessions = sessionsIn(database);
    const asked = new Map<string, Asked>();
    const messages = database.rows({
      name: "messages",
      columns: ["id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp"],
      orderBy: ["session_id", "id"],
    });
    for (const row of messages) yield* itemsOf(row, { sessions, asked, policy });
  } finally {
    database.close();
  }
}

interface Known {
  readonly sessions: ReadonlyMap<string, Session>;
  readonly asked: Map<string, Asked>;
  readonly policy: Policy["observe"];
}

function* itemsOf(row: Row, { sessions, asked, policy }: Known): Iterable<TranscriptItem> {
  const session = String(row["session_id"]);
  // In seconds.
  const at = Math.round(Number(row["timestamp"]) * 1000);
  const content = stringOr(row["content"], "");
  const { cwd = null, model = null } = sessions.get(session) ?? {};
  const base = { ...blank, host: "hermes", session, cwd, model, at };
  if (!Number.isFinite(at)) return;
  if (row["role"] === "user" && content.trim() !== "")
    yield {
      ...base,
      kind: "prompt",
      uid: `prompt:${String(row["id"])}`,
      text: clean(content, policy.payloadCharacters),
    };
  if (row["role"] === "assistant")
    for (const [id, call] of callsIn(row["tool_calls"], at)) asked.set(`${session} ${id}`, call);
  if (row["role"] !== "tool") return;
  const uid = stringOr(row["tool_call_id"], "");
  const call = asked.get(`${session} ${uid}`);
  const tool = stringOr(row["tool_name"], "") || call?.tool || "";
  if (uid === "" || tool === "") return;
  asked.delete(`${session} ${uid}`);
  const durationMs = call === undefined ? null : Math.max(0, at - call.at);
  yield { ...base, uid, durationMs, ...rawCall({ tool, input: call?.input ?? null, ...callEnd(content) }, policy) };
}

function callsIn(text: unknown, at: number): readonly (readonly [string, Asked])[] {
  const calls = typeof text === "string" ? tryParse(text) : null;
  return (Array.isArray(calls) ? calls.filter(isRecord) : []).flatMap((call) => {
    const { name, arguments: input } = isRecord(call["function"]) ? call["function"] : {};
    if (typeof call["id"] !== "string" || typeof name !== "string") return [];
    return [
      [call["id"], { tool: name, input: typeof input === "string" ? (tryParse(input) ?? input) : input, at }] as const,
    ];
  });
}

function sessionsIn(database: OtherDatabase): ReadonlyMap<string, Session> {
  const rows = database.rows({ name: "sessions", columns: ["id", "model", "cwd"], orderBy: ["id"] });
  return new Map(
    [...rows].map((row) => [
      String(row["id"]),
      { cwd: stringOr(row["cwd"], null) || null, model: stringOr(row["model"], null) },
    ]),
  );
}
