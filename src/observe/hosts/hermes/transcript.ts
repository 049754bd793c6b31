import type { Policy } from "../../../domain/policy.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import { openForeignDatabase, type ForeignDatabase, type ForeignRow } from "../../../store/sqlite/foreign-database.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { parseHermesCallEnd } from "./call-end.ts";

interface Session {
  readonly cwd: string | null;
  readonly model: string | null;
}

interface OpenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly at: number;
}

/** `~/.hermes/state.db`: all its sessions, from every channel. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const database = openForeignDatabase(path);
  try {
    const sessions = readSessions(database);
    const openCalls = new Map<string, OpenCall>();
    const messages = database.rows({
      name: "messages",
      columns: ["id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp"],
      orderBy: ["session_id", "id"],
    });
    for (const row of messages) yield* parseItems(row, { sessions, openCalls, policy });
  } finally {
    database.close();
  }
}

interface ReadContext {
  readonly sessions: ReadonlyMap<string, Session>;
  readonly openCalls: Map<string, OpenCall>;
  readonly policy: Policy["observe"];
}

function* parseItems(row: ForeignRow, { sessions, openCalls, policy }: ReadContext): Iterable<TranscriptItem> {
  const session = String(row["session_id"]);
  // In seconds.
  const at = Math.round(Number(row["timestamp"]) * 1000);
  const content = stringOr(row["content"], "");
  const { cwd = null, model = null } = sessions.get(session) ?? {};
  const base = { ...blankEvent, host: "hermes", session, cwd, model, at };
  if (!Number.isFinite(at)) return;
  if (row["role"] === "user" && content.trim() !== "")
    yield {
      ...base,
      kind: "prompt",
      uid: `prompt:${String(row["id"])}`,
      text: redactAndCap(content, policy.payloadCharacters),
    };
  if (row["role"] === "assistant")
    for (const [id, call] of parseCalls(row["tool_calls"], at)) openCalls.set(`${session} ${id}`, call);
  if (row["role"] !== "tool") return;
  const uid = stringOr(row["tool_call_id"], "");
  const call = openCalls.get(`${session} ${uid}`);
  const tool = stringOr(row["tool_name"], "") || call?.tool || "";
  if (uid === "" || tool === "") return;
  openCalls.delete(`${session} ${uid}`);
  const durationMs = call === undefined ? null : Math.max(0, at - call.at);
  yield {
    ...base,
    uid,
    durationMs,
    ...toCallEventFields({ tool, input: call?.input ?? null, ...parseHermesCallEnd(content) }, policy),
  };
}

function parseCalls(text: unknown, at: number): readonly (readonly [string, OpenCall])[] {
  const calls = typeof text === "string" ? tryParseJson(text) : null;
  return (Array.isArray(calls) ? calls.filter(isRecord) : []).flatMap((call) => {
    const { name, arguments: input } = isRecord(call["function"]) ? call["function"] : {};
    if (typeof call["id"] !== "string" || typeof name !== "string") return [];
    return [
      [
        call["id"],
        { tool: name, input: typeof input === "string" ? (tryParseJson(input) ?? input) : input, at },
      ] as const,
    ];
  });
}

function readSessions(database: ForeignDatabase): ReadonlyMap<string, Session> {
  const rows = database.rows({ name: "sessions", columns: ["id", "model", "cwd"], orderBy: ["id"] });
  return new Map(
    [...rows].map((row) => [
      String(row["id"]),
      { cwd: stringOr(row["cwd"], null) || null, model: stringOr(row["model"], null) },
    ]),
  );
}
