import type { Policy } from "../../../domain/policy.ts";
import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";
import { openForeignDatabase, type ForeignDatabase, type ForeignRow } from "../../../store/sqlite/foreign-database.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../../protocol/to-event.ts";
import { parseHostVersion } from "../../protocol/host-version.ts";
import { parseCompletedCall, parseThrownCall, readDuration } from "./call-end.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** `~/.local/share/opencode/opencode.db`: every session of every project. */
export async function* readTranscript(path: string, policy: Policy["observe"]): AsyncIterable<TranscriptItem> {
  const database = openForeignDatabase(path);
  try {
    const known = { policy, sessions: readSessions(database), messages: readMessages(database) };
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

/** Joins the parts of a prompt. */
function* wholePrompts(parts: Iterable<ForeignRow>, known: ReadContext): Iterable<TranscriptItem> {
  let texts: readonly TranscriptItem[] = [];
  for (const row of parts) {
    const item = parseItem(row, known);
    if (item === null) continue;
    if (texts[0]?.uid !== item.uid) {
      yield* joinPromptParts(texts, known);
      texts = [];
    }
    if (item.kind === "prompt") texts = [...texts, item];
    else yield item;
  }
  yield* joinPromptParts(texts, known);
}

function joinPromptParts(
  [first, ...more]: readonly TranscriptItem[],
  { policy }: ReadContext,
): readonly TranscriptItem[] {
  if (first === undefined) return [];
  const text = [first, ...more].map((item) => item.text).join("\n");
  return [{ ...first, text: redactAndCap(text, policy.payloadCharacters) }];
}

interface StoredSession {
  readonly parent: string | null;
  readonly folder: string | null;
  readonly hostVersion?: string;
}

interface StoredMessage {
  readonly role: string;
  readonly model: string | null;
  readonly cwd: string | null;
}

interface ReadContext {
  readonly policy: Policy["observe"];
  readonly sessions: ReadonlyMap<string, StoredSession>;
  readonly messages: ReadonlyMap<string, StoredMessage>;
}

function parseItem(row: ForeignRow, known: ReadContext): TranscriptItem | null {
  const message = known.messages.get(String(row["message_id"]));
  const part = tryParseJson(String(row["data"]));
  if (message === undefined || !isRecord(part)) return null;
  const own = String(row["session_id"]);
  const session = findRootSession(own, known.sessions);
  const base: TranscriptItem = {
    ...blankEvent,
    host: "opencode",
    session,
    at: Number(row["time_created"]),
    cwd: message.cwd ?? known.sessions.get(own)?.folder ?? null,
    model: message.model,
    agent: own === session ? null : own,
    ...parseHostVersion(known.sessions.get(own)?.hostVersion),
  };
  if (part["type"] === "tool") return parseCall(part, base, known.policy);
  const isPrompt = message.role === "user" && part["type"] === "text" && part["synthetic"] !== true;
  const text = stringOr(part["text"], "").trim();
  if (!isPrompt || text === "" || base.agent !== null) return null;
  const uid = `prompt:${String(row["message_id"])}`;
  return { ...base, kind: "prompt", uid, text: redactAndCap(text, known.policy.payloadCharacters) };
}

/** Null if the call has no end: it is still running, or was when opencode was killed. */
function parseCall(part: JsonObject, base: TranscriptItem, policy: Policy["observe"]): TranscriptItem | null {
  const state = isRecord(part["state"]) ? part["state"] : {};
  const { status } = state;
  const uid = stringOr(part["callID"], "");
  const tool = stringOr(part["tool"], "");
  if (uid === "" || tool === "" || (status !== "completed" && status !== "error")) return null;
  const { exit } = isRecord(state["metadata"]) ? state["metadata"] : {};
  const end = status === "error" ? parseThrownCall(state) : parseCompletedCall(tool, { output: state["output"], exit });
  const { end: endedAt } = isRecord(state["time"]) ? state["time"] : {};
  return {
    ...base,
    uid,
    at: typeof endedAt === "number" ? endedAt : base.at,
    durationMs: readDuration(state),
    ...toCallEventFields(
      { tool, input: state["input"] ?? null, ok: end.ok, text: end.text, exitCode: end.exitCode },
      policy,
    ),
  };
}

function readSessions(database: ForeignDatabase): ReadonlyMap<string, StoredSession> {
  const sessions = new Map<string, StoredSession>();
  const columns = ["id", "parent_id", "directory", "version"].filter((name) =>
    database.columns("session").includes(name),
  );
  for (const row of database.rows({ name: "session", columns, orderBy: ["id"] }))
    sessions.set(String(row["id"]), {
      parent: stringOr(row["parent_id"], null),
      folder: stringOr(row["directory"], null) || null,
      ...parseHostVersion(row["version"]),
    });
  return sessions;
}

function readMessages(database: ForeignDatabase): ReadonlyMap<string, StoredMessage> {
  const messages = new Map<string, StoredMessage>();
  for (const row of database.rows({ name: "message", columns: ["id", "data"], orderBy: ["id"] })) {
    const data = tryParseJson(String(row["data"]));
    if (!isRecord(data)) continue;
    const path = isRecord(data["path"]) ? data["path"] : {};
    const requestedModel = isRecord(data["model"]) ? data["model"] : {};
    messages.set(String(row["id"]), {
      role: stringOr(data["role"], ""),
      model: stringOr(data["modelID"], null) ?? stringOr(requestedModel["modelID"], null),
      cwd: stringOr(path["cwd"], null),
    });
  }
  return messages;
}

/** The session that a sub-agent's session works for. */
function findRootSession(session: string, sessions: ReadonlyMap<string, StoredSession>): string {
  let top = session;
  for (let depth = 0; depth < 20; depth++) {
    const parent = sessions.get(top)?.parent ?? null;
    if (parent === null) return top;
    top = parent;
  }
  return top;
}
