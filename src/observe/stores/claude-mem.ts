import { join } from "node:path";
import { defaultConfidence } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { parseTime } from "../../lib/clock.ts";
import { isRecord, nonEmptyText, tryParseJson } from "../../lib/json.ts";
import { storable } from "../../lib/text.ts";
import {
  hasTables,
  type ForeignDatabase,
  openForeignDatabase,
  type ForeignRow,
} from "../../store/sqlite/foreign-database.ts";
import { blankEvent, redactAndCap, toCallEventFields } from "../protocol/to-event.ts";
import { findWorkspace } from "../protocol/workspace.ts";
import type { OtherStore, StoreItem } from "./other-store.ts";

/** github.com/thedotmack/claude-mem: one SQLite file with prompts, observations and summaries of sessions. */
export const claudeMem: OtherStore = {
  name: "claude-mem",
  title: "claude-mem",
  defaultPaths: ({ userHome, env }) => [
    join(env["CLAUDE_MEM_DATA_DIR"] || join(userHome, ".claude-mem"), "claude-mem.db"),
  ],
  isAt: (path) => hasTables(path, ["sdk_sessions", "observations"]),
  files: (path) => [path],
  read: function* (path, policy) {
    const database = openForeignDatabase(path);
    try {
      const opened = { database, policy, ...readSessions(database) };
      yield* mergeByTime([readPrompts(opened), readCalls(opened), readSummaries(opened)]);
      yield* readObservations(opened);
    } finally {
      database.close();
    }
  },
};

/** Each table is ordered by time; a session's events are spread over all of them. */
function* mergeByTime(streams: readonly Iterable<StoreItem>[]): Iterable<StoreItem> {
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

interface StoredSession {
  readonly id: string;
  readonly host: string;
}

interface OpenedStore {
  readonly database: ForeignDatabase;
  readonly policy: Policy["observe"];
  /** Sessions by the host's session id, and by the id that its memories use. */
  readonly byContent: ReadonlyMap<string, StoredSession>;
  readonly byMemory: ReadonlyMap<string, StoredSession>;
  /** The folder of a session's calls; only newer versions record it. */
  readonly folders: ReadonlyMap<string, string>;
}

function readSessions(database: ForeignDatabase): Pick<OpenedStore, "byContent" | "byMemory" | "folders"> {
  const byContent = new Map<string, StoredSession>();
  const byMemory = new Map<string, StoredSession>();
  for (const row of readRows(database, "sdk_sessions", [
    "content_session_id",
    "memory_session_id",
    "platform_source",
  ])) {
    const id = nonEmptyText(row["content_session_id"]);
    if (id === null) continue;
    const source = nonEmptyText(row["platform_source"]);
    const session = {
      id: storable(id),
      host: source === null || source === "claude" ? "claude-code" : storable(source),
    };
    byContent.set(id, session);
    const named = nonEmptyText(row["memory_session_id"]);
    if (named !== null) byMemory.set(named, session);
  }
  const folders = new Map<string, string>();
  for (const row of readRows(database, "tool_uses", ["content_session_id", "cwd"])) {
    const cwd = nonEmptyText(row["cwd"]);
    if (cwd !== null && !folders.has(String(row["content_session_id"])))
      folders.set(String(row["content_session_id"]), cwd);
  }
  return { byContent, byMemory, folders };
}

/** Reads only the columns that this version has; no rows if the table is missing. */
function readRows(database: ForeignDatabase, name: string, columns: readonly string[]): Iterable<ForeignRow> {
  const there = new Set(database.columns(name));
  const known = columns.filter((column) => there.has(column));
  return known.length === 0 ? [] : database.rows({ name, columns: known, orderBy: ["id"] });
}

function* readCalls({ database, policy, byContent }: OpenedStore): Iterable<StoreItem> {
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
  for (const row of readRows(database, "tool_uses", columns)) {
    const at = readTime(row);
    const tool = nonEmptyText(row["tool_name"]);
    const uid = nonEmptyText(row["tool_use_id"]);
    const session = byContent.get(String(row["content_session_id"]));
    if (at === null || tool === null || uid === null || session === undefined) {
      yield skippedItem("calls");
      continue;
    }
    const cwd = nonEmptyText(row["cwd"]);
    const response = parseJson(row["tool_response"]);
    const input = parseJson(row["tool_input"]);
    yield {
      kind: "event",
      workspace: findWorkspace(cwd),
      event: {
        ...blankEvent,
        host: session.host,
        session: session.id,
        // The host's id of the call, so that it is the same event if a hook or transcript reports it too.
        uid: storable(uid),
        at,
        cwd,
        agent: nonEmptyText(row["agent_id"]),
        kind: "call",
        ...toCallEventFields(
          { tool, input, ok: !isError(response), text: readResponseText(response), exitCode: null },
          policy,
        ),
      },
    };
  }
}

function isError(response: unknown): boolean {
  return isRecord(response) && (response["is_error"] === true || response["success"] === false);
}

function readResponseText(response: unknown): string | null {
  if (typeof response === "string") return nonEmptyText(response);
  if (!isRecord(response)) return response === null ? null : (JSON.stringify(response) ?? null);
  const out = [response["stdout"], response["stderr"], response["error"]].flatMap((one) => nonEmptyText(one) ?? []);
  return out.length > 0 ? out.join("\n") : (JSON.stringify(response) ?? null);
}

function* readPrompts({ database, policy, byContent, folders }: OpenedStore): Iterable<StoreItem> {
  for (const row of readRows(database, "user_prompts", [
    "id",
    "content_session_id",
    "prompt_text",
    "created_at_epoch",
  ])) {
    const at = readTime(row);
    const words = nonEmptyText(row["prompt_text"]);
    const id = nonEmptyText(row["content_session_id"]);
    if (at === null || words === null || id === null) {
      yield skippedItem("prompts");
      continue;
    }
    const session = byContent.get(id) ?? { id: storable(id), host: "claude-code" };
    const cwd = folders.get(id) ?? null;
    const event = {
      ...blankEvent,
      host: session.host,
      session: session.id,
      uid: `claude-mem:prompt:${row["id"]}`,
      at,
      cwd,
    };
    yield {
      kind: "event",
      workspace: findWorkspace(cwd),
      event: { ...event, kind: "prompt", text: redactAndCap(words, policy.payloadCharacters) },
    };
  }
}

const summaryParts = ["request", "investigated", "learned", "completed", "next_steps", "notes"];

function* readSummaries({ database, policy, byMemory, folders }: OpenedStore): Iterable<StoreItem> {
  const columns = ["id", "memory_session_id", "created_at_epoch", ...summaryParts];
  for (const row of readRows(database, "session_summaries", columns)) {
    const at = readTime(row);
    const session = byMemory.get(String(row["memory_session_id"]));
    const words = summaryParts.flatMap((part) => {
      const value = nonEmptyText(row[part]);
      return value === null ? [] : [`${part.replaceAll("_", " ")}: ${value}`];
    });
    if (at === null || session === undefined || words.length === 0) {
      yield skippedItem("summaries");
      continue;
    }
    const cwd = folders.get(session.id) ?? null;
    const event = {
      ...blankEvent,
      host: session.host,
      session: session.id,
      uid: `claude-mem:summary:${row["id"]}`,
      at,
      cwd,
    };
    yield {
      kind: "event",
      workspace: findWorkspace(cwd),
      event: { ...event, kind: "answer", text: redactAndCap(words.join("\n"), policy.payloadCharacters) },
    };
  }
}

function* readObservations({ database, policy, byMemory, folders }: OpenedStore): Iterable<StoreItem> {
  const columns = ["id", "memory_session_id", "project", "type", "title", "subtitle", "narrative", "text", "facts"];
  for (const row of readRows(database, "observations", [...columns, "concepts", "created_at_epoch"])) {
    const at = readTime(row);
    const body = nonEmptyText(row["narrative"]) ?? nonEmptyText(row["text"]) ?? nonEmptyText(row["subtitle"]);
    const words = [nonEmptyText(row["title"]), body, ...parseList(row["facts"]).map((one) => `- ${one}`)].filter(
      Boolean,
    );
    if (at === null || words.length === 0) {
      yield skippedItem("observations");
      continue;
    }
    const type = nonEmptyText(row["type"]) ?? "observation";
    const project = nonEmptyText(row["project"]);
    const session = byMemory.get(String(row["memory_session_id"]));
    yield {
      kind: "memory",
      at,
      workspace: findWorkspace(session === undefined ? null : (folders.get(session.id) ?? null)),
      memory: {
        key: `claude-mem:${row["memory_session_id"]}:${row["id"]}`,
        text: redactAndCap(words.join("\n"), policy.payloadCharacters),
        kind: type === "decision" ? "decision" : "fact",
        category: null,
        confidence: defaultConfidence.external,
        tags: ["claude-mem", type, ...(project === null ? [] : [`project:${project}`]), ...parseList(row["concepts"])],
      },
    };
  }
}

function skippedItem(what: string): StoreItem {
  return { kind: "left", left: { what, count: 1, why: "they have no session, time or text" } };
}

/** In milliseconds; some rows of old versions are in seconds. */
function readTime(row: ForeignRow): number | null {
  const at = parseTime(Number(row["created_at_epoch"] ?? Number.NaN));
  return at === null ? null : at < SECONDS ? at * 1_000 : at;
}

const SECONDS = 100_000_000_000;

function parseList(value: unknown): readonly string[] {
  const list = typeof value === "string" ? tryParseJson(value) : null;
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === "string" && one !== "") : [];
}

function parseJson(value: unknown): unknown {
  return typeof value === "string" ? (tryParseJson(value) ?? value) : null;
}
