import type { Policy } from "../../../domain/policy.ts";
import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";
import { openOther, type OtherDatabase, type Row } from "../../../store/sqlite/others.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { blank, clean, rawCall } from "../../protocol/to-event.ts";
import { toldVersion } from "../../protocol/told-version.ts";
import { callEnd, errorEnd, timeOf } from "./call-end.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.local/share/opencode/opencode.db`: every session of every project. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const database = openOther(path);
  try {
    const known = { policy, sessions: sessionsIn(database), messages: messagesIn(database) };
    const parts = database.rows({
      name: "part",
      columns: ["message_id", "session_id", "time_created", "data"],
      orderBy: ["message_id", "id"],
    });
    yield* wholePrompts(parts, known);
  } finally {
    database.close();
  }
}

/** A prompt may come in several parts. */
function* wholePrompts(parts: Iterable<Row>, known: Known): Iterable<TranscriptItem> {
  let texts: readonly TranscriptItem[] = [];
  for (const row of parts) {
    const item = itemOf(row, known);
    if (item === null) continue;
    if (texts[0]?.uid !== item.uid) {
      yield* joined(texts, known);
      texts = [];
    }
    if (item.kind === "prompt") texts = [...texts, item];
    else yield item;
  }
  yield* joined(texts, known);
}

function joined([first, ...more]: readonly TranscriptItem[], { policy }: Known): readonly TranscriptItem[] {
  if (first === undefined) return [];
  const text = [first, ...more].map((item) => item.text).join("\n");
  return [{ ...first, text: clean(text, policy.payloadCharacters) }];
}

interface Session {
  readonly parent: string | null;
  readonly folder: string | null;
  readonly hostVersion?: string;
}

interface Message {
  readonly role: string;
  readonly model: string | null;
  readonly cwd: string | null;
}

interface Known {
  readonly policy: Policy["observe"];
  readonly sessions: ReadonlyMap<string, Session>;
  readonly messages: ReadonlyMap<string, Message>;
}

function itemOf(row: Row, known: Known): TranscriptItem | null {
  const message = known.messages.get(String(row["message_id"]));
  const part = tryParse(String(row["data"]));
  if (message === undefined || !isRecord(part)) return null;
  const own = String(row["session_id"]);
  const session = rootOf(own, known.sessions);
  const base: TranscriptItem = {
    ...blank,
    host: "opencode",
    session,
    at: Number(row["time_created"]),
    cwd: message.cwd ?? known.sessions.get(own)?.folder ?? null,
    model: message.model,
    agent: own === session ? null : own,
    ...toldVersion(known.sessions.get(own)?.hostVersion),
  };
  if (part["type"] === "tool") return callOf(part, base, known.policy);
  const isPrompt = message.role === "user" && part["type"] === "text" && part["synthetic"] !== true;
  const text = stringOr(part["text"], "").trim();
  if (!isPrompt || text === "" || base.agent !== null) return null;
  const uid = `prompt:${String(row["message_id"])}`;
  return { ...base, kind: "prompt", uid, text: clean(text, known.policy.payloadCharacters) };
}

/** A call without an end is still running, or was when opencode was killed. */
function callOf(part: JsonObject, base: TranscriptItem, policy: Policy["observe"]): TranscriptItem | null {
  const state = isRecord(part["state"]) ? part["state"] : {};
  const { status } = state;
  const uid = stringOr(part["callID"], "");
  const tool = stringOr(part["tool"], "");
  if (uid === "" || tool === "" || (status !== "completed" && status !== "error")) return null;
  const { exit } = isRecord(state["metadata"]) ? state["metadata"] : {};
  const end = status === "error" ? errorEnd(state) : callEnd(tool, { output: state["output"], exit });
  const { end: endedAt } = isRecord(state["time"]) ? state["time"] : {};
  return {
    ...base,
    uid,
    at: typeof endedAt === "number" ? endedAt : base.at,
    durationMs: timeOf(state),
    ...rawCall({ tool, input: state["input"] ?? null, ok: end.ok, text: end.text, exitCode: end.exitCode }, policy),
  };
}

function sessionsIn(database: OtherDatabase): ReadonlyMap<string, Session> {
  const sessions = new Map<string, Session>();
  const columns = ["id", "parent_id", "directory", "version"].filter((name) =>
    database.columns("session").includes(name),
  );
  for (const row of database.rows({ name: "session", columns, orderBy: ["id"] }))
    sessions.set(String(row["id"]), {
      parent: stringOr(row["parent_id"], null),
      folder: stringOr(row["directory"], null) || null,
      ...toldVersion(row["version"]),
    });
  return sessions;
}

function messagesIn(database: OtherDatabase): ReadonlyMap<string, Message> {
  const messages = new Map<string, Message>();
  for (const row of database.rows({ name: "message", columns: ["id", "data"], orderBy: ["id"] })) {
    const data = tryParse(String(row["data"]));
    if (!isRecord(data)) continue;
    const path = isRecord(data["path"]) ? data["path"] : {};
    const asked = isRecord(data["model"]) ? data["model"] : {};
    messages.set(String(row["id"]), {
      role: stringOr(data["role"], ""),
      model: stringOr(data["modelID"], null) ?? stringOr(asked["modelID"], null),
      cwd: stringOr(path["cwd"], null),
    });
  }
  return messages;
}

/** The session that a sub-agent's session works for. */
function rootOf(session: string, sessions: ReadonlyMap<string, Session>): string {
  let top = session;
  for (let depth = 0; depth < 20; depth++) {
    const parent = sessions.get(top)?.parent ?? null;
    if (parent === null) return top;
    top = parent;
  }
  return top;
}
