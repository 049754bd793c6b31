import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { severities } from "../../domain/ledger/ledger.ts";
import { memoryCategories } from "../../domain/memory/memory.ts";
import type { Policy } from "../../domain/policy.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { storable } from "../../lib/text.ts";
import { blankEvent } from "../protocol/to-event.ts";
import { readWholeText } from "../transcripts/whole-text.ts";
import { readFrameworkTasks } from "./agent-framework-tasks.ts";
import type { OtherStore, StoreItem } from "./other-store.ts";
import { isInSqlDump, readSqlDump, type TableRow } from "./read-sql-dump.ts";
import { fieldsOf, listUnknownFields } from "./table-fields.ts";

const NAME = "persistent-agent-framework";

/**
 * github.com/T33R0/persistent-agent-framework: a dump of its database (SQL), one JSON file for each table, or one JSON
 * file with all tables.
 */
export const agentFramework: OtherStore = {
  name: NAME,
  title: "persistent-agent-framework",
  // It is in a database of its owner.
  defaultPaths: () => [],
  isAt: (path) => existsSync(path) && holdsTables(path),
  files: (path) =>
    isFolder(path) ? allTables.map((name) => join(path, `${name}.json`)).filter((file) => existsSync(file)) : [path],
  read: function* (path, policy) {
    const read = existsSync(path) ? readTables(path) : {};
    if (Object.values(read).every((rows) => rows.length === 0))
      throw new OldhandError("input", `there are no tables of ${NAME} at ${path}`, {
        hint: "give a dump of its database, or a folder with files such as agent_ledger.json",
      });
    yield* itemsOf(read, policy);
  },
};

/** The fields that are known; those of `taken` tables are imported. */
const taken: Readonly<Record<string, string>> = {
  agent_memory: "key content category tags importance source_session",
  agent_soul: "directive category priority active",
  agent_ledger: "entry_type what why should_have pattern severity recurrence status tags signal_traced",
  agent_session_logs: "log_date session_id summary topics decisions_made tasks_created model_used",
  agent_experience: "context experience what_learned category confidence session_id",
  agent_deltas: "prediction outcome magnitude confidence_before confidence_after surprise_signal experience_id",
  agent_growth_log: "change_type description",
  agent_task_queue:
    "task payload priority status agent_id claimed_at completed_at error retry_count max_retries scheduled_for",
  agent_action_items:
    "source source_session_id source_channel raw_text category plan estimated_impact filter_reason status approved_at completed_at",
  agent_heartbeat:
    "task description category priority status scheduled_for recurrence max_retries retry_count result error completed_at created_by_session",
};

const leftTables: readonly (readonly [table: string, why: string])[] = [
  ["agent_activity", "single calls are not told with their outcome"],
  ["agent_conversations", "its chats are not imported"],
  ["agent_directives", "messages between its agents are of no use here"],
  ["agent_state", "its states say how it stood there"],
  ["agent_session_handoff", "its handoffs are for its own next session"],
  ["agent_config", "settings are not imported"],
  ["agent_claude_usage", "what its calls cost is not told"],
];

const allTables = [...Object.keys(taken), ...leftTables.map(([table]) => table)];
const ofEveryTable = ["id", "created_at", "updated_at", "embedding", "embedded_at"];

type Tables = Readonly<Record<string, readonly TableRow[]>>;

function* itemsOf(tables: Tables, policy: Policy["observe"]): Iterable<StoreItem> {
  const read = (row: TableRow) => fieldsOf(row, policy.payloadCharacters);
  const rowsOf = (table: string) => (tables[table] ?? []).map(read);
  for (const row of rowsOf("agent_memory")) yield memoryOf(row);
  for (const row of rowsOf("agent_soul")) yield soulRuleOf(row);
  for (const row of rowsOf("agent_ledger")) yield ledgerOf(row);
  const deltas = rowsOf("agent_deltas");
  for (const row of rowsOf("agent_experience")) yield experienceOf(row, deltas);
  for (const row of rowsOf("agent_session_logs")) yield sessionOf(row);
  for (const row of rowsOf("agent_growth_log")) yield growthOf(row);
  yield* readFrameworkTasks(tables, policy.payloadCharacters);
  const experiences = new Set(rowsOf("agent_experience").map((row) => row.name("id")));
  const alone = deltas.filter((row) => !experiences.has(row.name("experience_id"))).length;
  if (alone > 0) yield { kind: "left", left: { what: "deltas", count: alone, why: "their experience is not there" } };
  for (const [table, fields] of Object.entries(taken))
    for (const one of listUnknownFields(table, tables[table] ?? [], [...ofEveryTable, ...fields.split(" ")]))
      yield { kind: "left", left: one };
  for (const [table, why] of leftTables) {
    const count = tables[table]?.length ?? 0;
    if (count > 0) yield { kind: "left", left: { what: table, count, why } };
  }
}

type Fields = ReturnType<typeof fieldsOf>;

const texts = (list: readonly unknown[]) => list.filter((one): one is string => typeof one === "string");

function memoryOf(row: Fields): StoreItem {
  const [key, text] = [row.name("key") ?? row.name("id"), row.text("content")];
  if (key === null || text === null) return nameless("agent_memory");
  const category = row.text("category");
  return {
    ...{ kind: "memory", workspace: null, at: timeOf(row) },
    memory: {
      ...{ key: `${NAME}:${key}`, text, kind: "fact", category: null, confidence: 0.5 },
      tags: [NAME, ...texts(row.list("tags")), ...(category === null ? [] : [category])],
      importance: Math.min(100, Math.max(1, Math.round(row.number("importance", 50)))),
    },
  };
}

/** What comes from outside cannot change the identity, so a directive becomes a rule that waits for its owner. */
function soulRuleOf(row: Fields): StoreItem {
  const [id, text] = [row.name("id"), row.text("directive")];
  if (id === null || text === null) return nameless("agent_soul");
  const isActive = row.text("active") === null ? row.json("active") !== "false" : row.text("active") !== "f";
  return {
    ...{ kind: "rule", workspace: null, at: timeOf(row) },
    rule: {
      ...{ name: id, text, status: isActive ? "candidate" : "retired", confidence: 0.5 },
      evidence: { observations: 1, sessions: 0, first: timeOf(row), last: timeOf(row), refs: [] },
    },
  };
}

function ledgerOf(row: Fields): StoreItem {
  const [name, what] = [row.name("id"), row.text("what")];
  if (name === null || what === null) return nameless("agent_ledger");
  return {
    ...{ kind: "ledger", workspace: null, at: timeOf(row) },
    it: {
      ...{ name, what, kind: row.text("entry_type") === "win" ? "win" : "mistake", session: null },
      ...{ why: row.text("why") ?? "", shouldHave: row.text("should_have") ?? "" },
      ...{ pattern: row.text("pattern") ?? "", signal: row.text("signal_traced") ?? "" },
      severity: severities.find((one) => one === row.text("severity")) ?? "medium",
    },
  };
}

/** With what was expected and what happened. */
function experienceOf(row: Fields, deltas: readonly Fields[]): StoreItem {
  const [id, learned] = [row.name("id"), row.text("what_learned") ?? row.text("experience")];
  if (id === null || learned === null) return nameless("agent_experience");
  const category = row.text("category");
  const own = deltas.filter((one) => one.name("experience_id") === id);
  const compared = own.flatMap((one) => {
    const [prediction, outcome] = [one.text("prediction"), one.text("outcome")];
    return prediction === null || outcome === null ? [] : [`Expected: ${prediction}. It was: ${outcome}.`];
  });
  return {
    ...{ kind: "memory", workspace: null, at: timeOf(row) },
    memory: {
      key: `${NAME}:experience:${id}`,
      text: [learned, ...compared].join("\n"),
      kind: "learning",
      category: memoryCategories.find((one) => one === category) ?? "domain_knowledge",
      confidence: row.number("confidence", 0.5),
      tags: [NAME, ...(category === null ? [] : [category])],
    },
  };
}

/** What the agent said of a session at its end. */
function sessionOf(row: Fields): StoreItem {
  const [id, summary] = [row.name("id"), row.text("summary")];
  if (id === null || summary === null) return nameless("agent_session_logs");
  const lines = (head: string, name: string) => {
    const list = texts(row.list(name));
    return list.length === 0 ? [] : [`${head}: ${list.join("; ")}`];
  };
  const more = [
    ...lines("Topics", "topics"),
    ...lines("Decisions", "decisions_made"),
    ...lines("Tasks", "tasks_created"),
  ];
  return {
    kind: "event",
    workspace: null,
    event: {
      ...{ ...blankEvent, host: NAME, kind: "answer", uid: storable(`agent-framework:${id}`) },
      session: row.name("session_id") ?? row.name("log_date") ?? id,
      at: row.time("created_at") ?? row.time("log_date") ?? 0,
      text: [summary, ...more].join("\n"),
      model: row.text("model_used"),
    },
  };
}

function growthOf(row: Fields): StoreItem {
  const [name, summary] = [row.name("id"), row.text("description")];
  if (name === null || summary === null) return nameless("agent_growth_log");
  const entry = { name, action: row.text("change_type") ?? "growth", summary, details: {} };
  return { kind: "log", workspace: null, at: timeOf(row), it: { ...entry, ms: null, goal: null, task: null } };
}

function timeOf(row: Fields): number {
  return row.time("created_at") ?? 0;
}

function nameless(what: string): StoreItem {
  return { kind: "left", left: { what, count: 1, why: "they have no id or text" } };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function holdsTables(path: string): boolean {
  if (isFolder(path)) return Object.keys(taken).some((name) => existsSync(join(path, `${name}.json`)));
  if (path.endsWith(".sql")) return isInSqlDump(readWholeText(path), `(?:${Object.keys(taken).join("|")})`);
  if (Object.keys(taken).some((name) => basename(path) === `${name}.json`)) return true;
  if (!path.endsWith(".json")) return false;
  const read = tryParseJson(readWholeText(path));
  return isRecord(read) && Object.keys(taken).some((name) => Array.isArray(read[name]));
}

/** All files are read first, so that nothing of a broken export is imported. */
function readTables(path: string): Tables {
  if (!isFolder(path) && path.endsWith(".sql")) return readSqlDump(path, allTables);
  const folder = isFolder(path)
    ? path
    : allTables.some((name) => basename(path) === `${name}.json`)
      ? dirname(path)
      : null;
  if (folder !== null)
    return Object.fromEntries(allTables.map((name) => [name, rowsIn(join(folder, `${name}.json`))] as const));
  const whole = tryParseJson(readWholeText(path));
  return Object.fromEntries(
    allTables.map((name) => [name, isRecord(whole) && Array.isArray(whole[name]) ? whole[name].filter(isRecord) : []]),
  );
}

function rowsIn(file: string): readonly TableRow[] {
  if (!existsSync(file)) return [];
  const read = tryParseJson(readWholeText(file));
  if (Array.isArray(read)) return read.filter(isRecord);
  throw new OldhandError("input", `${file} is not a JSON list`, {
    hint: "nothing of this export was imported; export it again, or remove the file",
  });
}
