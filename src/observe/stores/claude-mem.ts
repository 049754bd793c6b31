import { join } from "node:path";
import { defaultConfidence } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { parseTime } from "../../lib/clock.ts";
import { isRecord, text, tryParse } from "../../lib/json.ts";
import { storable } from "../../lib/text.ts";
import { hasTables, type OtherDatabase, openOther, type Row } from "../../store/sqlite/others.ts";
import { blank, clean, rawCall } from "../protocol/to-event.ts";
import { workspaceOf } from "../protocol/workspace.ts";
import type { OtherStore, Thing } from "./other-store.ts";

/** github.com/thedotmack/claude-mem: one SQLite file with prompts, observations and summaries of sessions. */
export const claudeMem: OtherStore = {
  name: "claude-mem",
  title: "claude-mem",
  places: ({ userHome, env }) => [join(env["CLAUDE_MEM_DATA_DIR"] || join(userHome, ".claude-mem"), "claude-mem.db")],
  isAt: (path) => hasTables(path, ["sdk_sessions", "observations"]),
  files: (path) => [path],
  read: function* (path, policy) {
    const database = openOther(path);
    try {
      const opened = { database, policy, ...sessionsIn(database) };
      yield* inOrder([promptsIn(opened), callsIn(opened), summariesIn(opened)]);
      yield* observationsIn(opened);
    } finally {
      database.close();
    }
  },
};

/** Each table is in the order of time; what a session was is all of them together. */
function* inOrder(streams: readonly Iterable<Thing>[]): Iterable<Thing> {
  const waiting = streams.map((stream) => stream[Symbol.iterator]()).map((rest) => ({ rest, next: rest.next() }));
  const timeAt = ({ next }: (typeof waiting)[number]): number =>
    next.done === true ? Infinity : next.value.kind === "event" ? next.value.event.at : -Infinity;
  for (;;) {
    const first = waiting.reduce((a, b) => (timeAt(b) < timeAt(a) ? b : a));
    if (first.next.done === true) return;
    yield first.next.value;
    first.next = first.rest.next();
  }
}

interface Session {
  readonly id: string;
  readonly host: string;
}

interface OpenedStore {
  readonly database: OtherDatabase;
  readonly policy: Policy["observe"];
  /** By the host's own name of a session, and by the name it has in its memories. */
  readonly byContent: ReadonlyMap<string, Session>;
  readonly byMemory: ReadonlyMap<string, Session>;
  /** The folder a session's calls were recorded in; newer versions only. */
  readonly folders: ReadonlyMap<string, string>;
}

function sessionsIn(database: OtherDatabase): Pick<OpenedStore, "byContent" | "byMemory" | "folders"> {
  const byContent = new Map<string, Session>();
  const byMemory = new Map<string, Session>();
  for (const row of rowsOf(database, "sdk_sessions", ["content_session_id", "memory_session_id", "platform_source"])) {
    const id = text(row["content_session_id"]);
    if (id === null) continue;
    const source = text(row["platform_source"]);
    const session = {
      id: storable(id),
      host: source === null || source === "claude" ? "claude-code" : storable(source),
    };
    byContent.set(id, session);
    const named = text(row["memory_session_id"]);
    if (named !== null) byMemory.set(named, session);
  }
  const folders = new Map<string, string>();
  for (const row of rowsOf(database, "tool_uses", ["content_session_id", "cwd"])) {
    const cwd = text(row["cwd"]);
    if (cwd !== null && !folders.has(String(row["content_session_id"])))
      folders.set(String(row["content_session_id"]), cwd);
  }
  return { byContent, byMemory, folders };
}

/** Of the columns only those that its version has; no rows where it has not even the table. */
function rowsOf(database: OtherDatabase, name: string, columns: readonly string[]): Iterable<Row> {
  const there = new Set(database.columns(name));
  const known = columns.filter((column) => there.has(column));
  return known.length === 0 ? [] : database.rows({ name, columns: known, orderBy: ["id"] });
}

function* callsIn({ database, policy, byContent }: OpenedStore): Iterable<Thing> {
  const columns = [
    "tool_use_id",
    "content_session_id",
    "platform_source",
    "tool_name",
    "tool_input",
    "tool_response",
    "cwd",
    "agent_id",
    "created_at_epoch",
  ];
  for (const row of rowsOf(database, "tool_uses", columns)) {
    const at = timeOf(row);
    const tool = text(row["tool_name"]);
    const uid = text(row["tool_use_id"]);
    const session = byContent.get(String(row["content_session_id"]));
    if (at === null || tool === null || uid === null || session === undefined) {
      yield unread("calls");
      continue;
    }
    const cwd = text(row["cwd"]);
    const response = parsed(row["tool_response"]);
    const input = parsed(row["tool_input"]);
    yield {
      kind: "event",
      workspace: workspaceOf(cwd),
      event: {
        ...blank,
        host: session.host,
        session: session.id,
        // The host's own name of the call: told by a hook or a transcript too, it is one event.
        uid: storable(uid),
        at,
        cwd,
        agent: text(row["agent_id"]),
        kind: "call",
        ...rawCall({ tool, input, ok: !isError(response), text: wordsOf(response), exitCode: null }, policy),
      },
    };
  }
}

function isError(response: unknown): boolean {
  return isRecord(response) && (response["is_error"] === true || response["success"] === false);
}

function wordsOf(response: unknown): string | null {
  if (typeof response === "string") return text(response);
  if (!isRecord(response)) return response === null ? null : (JSON.stringify(response) ?? null);
  const out = [response["stdout"], response["stderr"], response["error"]].flatMap((one) => text(one) ?? []);
  return out.length > 0 ? out.join("\n") : (JSON.stringify(response) ?? null);
}

function* promptsIn({ database, policy, byContent, folders }: OpenedStore): Iterable<Thing> {
  for (const row of rowsOf(database, "user_prompts", ["id", "content_session_id", "prompt_text", "created_at_epoch"])) {
    const at = timeOf(row);
    const words = text(row["prompt_text"]);
    const id = text(row["content_session_id"]);
    if (at === null || words === null || id === null) {
      yield unread("prompts");
      continue;
    }
    const session = byContent.get(id) ?? { id: storable(id), host: "claude-code" };
    const cwd = folders.get(id) ?? null;
    const event = { ...blank, host: session.host, session: session.id, uid: `claude-mem:prompt:${row["id"]}`, at, cwd };
    yield {
      kind: "event",
      workspace: workspaceOf(cwd),
      event: { ...event, kind: "prompt", text: clean(words, policy.payloadCharacters) },
    };
  }
}

const parts = ["request", "investigated", "learned", "completed", "next_steps", "notes"];

function* summariesIn({ database, policy, byMemory, folders }: OpenedStore): Iterable<Thing> {
  const columns = ["id", "memory_session_id", "created_at_epoch", ...parts];
  for (const row of rowsOf(database, "session_summaries", columns)) {
    const at = timeOf(row);
    const session = byMemory.get(String(row["memory_session_id"]));
    const words = parts.flatMap((part) => {
      const said = text(row[part]);
      return said === null ? [] : [`${part.replaceAll("_", " ")}: ${said}`];
    });
    if (at === null || session === undefined || words.length === 0) {
      yield unread("summaries");
      continue;
    }
    const cwd = folders.get(session.id) ?? null;
    const event = {
      ...blank,
      host: session.host,
      session: session.id,
      uid: `claude-mem:summary:${row["id"]}`,
      at,
      cwd,
    };
    yield {
      kind: "event",
      workspace: workspaceOf(cwd),
      event: { ...event, kind: "answer", text: clean(words.join("\n"), policy.payloadCharacters) },
    };
  }
}

function* observationsIn({ database, policy, byMemory, folders }: OpenedStore): Iterable<Thing> {
  const columns = ["id", "memory_session_id", "project", "type", "title", "subtitle", "narrative", "text", "facts"];
  for (const row of rowsOf(database, "observations", [...columns, "concepts", "created_at_epoch"])) {
    const at = timeOf(row);
    const body = text(row["narrative"]) ?? text(row["text"]) ?? text(row["subtitle"]);
    const words = [text(row["title"]), body, ...listIn(row["facts"]).map((one) => `- ${one}`)].filter(Boolean);
    if (at === null || words.length === 0) {
      yield unread("observations");
      continue;
    }
    const type = text(row["type"]) ?? "observation";
    const project = text(row["project"]);
    const session = byMemory.get(String(row["memory_session_id"]));
    yield {
      kind: "memory",
      at,
      workspace: workspaceOf(session === undefined ? null : (folders.get(session.id) ?? null)),
      memory: {
        key: `claude-mem:${row["memory_session_id"]}:${row["id"]}`,
        text: clean(words.join("\n"), policy.payloadCharacters),
        kind: type === "decision" ? "decision" : "fact",
        category: null,
        confidence: defaultConfidence.external,
        tags: ["claude-mem", type, ...(project === null ? [] : [`project:${project}`]), ...listIn(row["concepts"])],
      },
    };
  }
}

function unread(what: string): Thing {
  return { kind: "left", left: { what, count: 1, why: "they have no session, time or words" } };
}

/** Milliseconds; some rows of old versions count in seconds. */
function timeOf(row: Row): number | null {
  const at = parseTime(Number(row["created_at_epoch"] ?? Number.NaN));
  return at === null ? null : at < SECONDS ? at * 1_000 : at;
}

const SECONDS = 100_000_000_000;

function listIn(value: unknown): readonly string[] {
  const list = typeof value === "string" ? tryParse(value) : null;
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === "string" && one !== "") : [];
}

function parsed(value: unknown): unknown {
  return typeof value === "string" ? (tryParse(value) ?? value) : null;
}
