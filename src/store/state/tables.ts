import { cursors } from "./cursors.ts";
import type { Db } from "../engine/db.ts";

/**
 * Every table of a mind, declared once. Backup, restore, pruning, purge, `oldhand doctor` and the schema's
 * test read this list; a table without an entry fails that test. A backup writes them in this order.
 */
export interface Table {
  readonly name: string;
  /** `kept` is in a backup; `derived` is recomputed from what is kept; `machine` is valid only on one machine now. */
  readonly backup: "kept" | "derived" | "machine";
  /** The columns a backup sorts rows by, so that the same mind gives the same file. */
  readonly order: string;
  /** The database assigns its ids: after a restore they continue after the restored ones. */
  readonly numbered?: true;
  /** `words`: part of a word index, which each database implements differently. */
  readonly index?: "words";
  readonly retention: Retention;
  /** Contains texts of the mind: rewritten after something was forgotten, so that no bytes remain. */
  readonly spoken?: true;
  /** Columns with an event id: the row is deleted with that event. */
  readonly events?: readonly string[];
  /** Counts or notes about a rule or memory: deleted when it is forgotten. */
  readonly of?: { readonly noun: "rule" | "memory"; readonly column: string };
  /** The columns that name a session. */
  readonly session?: SessionColumns;
  /** Counts over events: code that deletes events must subtract them first (remove-events.ts). */
  readonly counts?: true;
}

/**
 * How long a row is kept. `events`: as long as its events (setting observe.episodeDays); `until`: up to the
 * time in its own column; `days`: for the days of a setting; `ever`: until it is forgotten.
 */
export type Retention = "ever" | "events" | "until" | "days";

export interface SessionColumns {
  readonly id: string;
  /** Null if the row does not name the session's host. */
  readonly host: string | null;
  /** What happens to the row when its whole session is purged: deleted, or only its session columns cleared. */
  readonly purge: "delete" | "clear";
}

const ofRule = { noun: "rule", column: "rule" } as const;
const ofSession: SessionColumns = { id: "session", host: "host", purge: "delete" };

export const tables: readonly Table[] = [
  {
    name: "events",
    backup: "kept",
    order: "id",
    numbered: true,
    retention: "events",
    events: ["id"],
    session: ofSession,
  },
  { name: "rules", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "mistakes", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "wins", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "shown", backup: "kept", order: "id", numbered: true, retention: "ever", session: ofSession },
  {
    name: "reinforced",
    backup: "kept",
    order: "rule, session, host",
    retention: "ever",
    of: ofRule,
    session: ofSession,
  },
  {
    name: "answers",
    backup: "kept",
    order: "id",
    numbered: true,
    retention: "events",
    events: ["event"],
    session: ofSession,
    spoken: true,
  },
  { name: "overrides", backup: "kept", order: "id", retention: "ever", spoken: true },
  {
    name: "rule_sessions",
    backup: "kept",
    order: "rule, session, host",
    retention: "ever",
    of: ofRule,
    session: ofSession,
  },
  { name: "rule_marks", backup: "kept", order: "rule", retention: "ever", spoken: true, of: ofRule },
  { name: "session_versions", backup: "kept", order: "session, host, version", retention: "ever", session: ofSession },
  { name: "session_summaries", backup: "kept", order: "session, host", retention: "ever", session: ofSession },
  { name: "memories", backup: "kept", order: "number", retention: "ever", spoken: true },
  {
    name: "memory_uses",
    backup: "kept",
    order: "id",
    numbered: true,
    retention: "ever",
    of: { noun: "memory", column: "memory" },
    session: { ...ofSession, purge: "clear" },
  },
  { name: "identities", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "identity_proposals", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "journal", backup: "kept", order: "id", numbered: true, retention: "ever", spoken: true },
  {
    name: "model_calls",
    backup: "kept",
    order: "id",
    retention: "ever",
    // What was paid stays paid; whose session it was goes.
    session: { id: "session", host: null, purge: "clear" },
  },
  { name: "model_attempts", backup: "kept", order: "call, number", retention: "ever" },
  { name: "model_quality", backup: "kept", order: "id", numbered: true, retention: "ever", spoken: true },
  {
    name: "model_days",
    backup: "kept",
    order: "day, agent, provider, model, task_type, list_price",
    retention: "ever",
  },
  { name: "model_caps", backup: "kept", order: "id", retention: "ever" },
  { name: "model_budgets", backup: "kept", order: "kind, name, day, list_price", retention: "ever" },
  { name: "route_tallies", backup: "kept", order: "task_type, complexity, model, attempt", retention: "ever" },
  {
    name: "routes",
    backup: "kept",
    order: "call",
    retention: "ever",
    session: { id: "session", host: null, purge: "clear" },
  },
  { name: "settings", backup: "kept", order: "id", retention: "ever" },
  { name: "retired_models", backup: "kept", order: "id", retention: "ever" },
  { name: "route_preferences", backup: "kept", order: "id", retention: "ever" },
  {
    name: "chat_sessions",
    backup: "kept",
    order: "id",
    retention: "ever",
    spoken: true,
    session: { id: "id", host: null, purge: "delete" },
  },
  {
    name: "chat_entries",
    backup: "kept",
    order: "session, seq",
    retention: "ever",
    spoken: true,
    session: { id: "session", host: null, purge: "delete" },
  },
  {
    name: "chat_inbox",
    backup: "kept",
    order: "id",
    retention: "ever",
    spoken: true,
    session: { id: "session", host: null, purge: "delete" },
  },
  {
    name: "approvals",
    backup: "kept",
    order: "id",
    retention: "ever",
    spoken: true,
    session: { id: "session", host: null, purge: "delete" },
  },
  {
    name: "checkpoints",
    backup: "machine",
    order: "session, turn, path",
    retention: "ever",
    session: { id: "session", host: null, purge: "delete" },
  },
  { name: "jobs", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "job_states", backup: "kept", order: "job", retention: "ever" },
  { name: "job_slots", backup: "kept", order: "job, slot", retention: "ever", spoken: true },
  { name: "pauses", backup: "kept", order: "id", retention: "ever" },
  { name: "alerts", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "messages", backup: "kept", order: "id", retention: "days", spoken: true },
  { name: "message_receipts", backup: "kept", order: "message, recipient", retention: "days" },
  { name: "goals", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "tasks", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "goal_comments", backup: "kept", order: "id", retention: "ever", spoken: true },
  {
    name: "cycles",
    backup: "kept",
    order: "id",
    retention: "ever",
    spoken: true,
    session: { id: "session", host: null, purge: "clear" },
  },
  {
    name: "task_attempts",
    backup: "kept",
    order: "id",
    retention: "ever",
    spoken: true,
    session: { id: "session", host: null, purge: "clear" },
  },
  { name: "execution_log", backup: "kept", order: "id", retention: "ever", spoken: true },
  { name: "snapshots", backup: "kept", order: "id", retention: "ever", spoken: true },
  {
    name: "day_sessions",
    backup: "kept",
    order: "agent, day",
    retention: "ever",
    spoken: true,
    session: { id: "session", host: null, purge: "delete" },
  },
  { name: "workspaces", backup: "kept", order: "machine, path", retention: "ever" },
  { name: "session_places", backup: "kept", order: "session, host, path", retention: "ever", session: ofSession },
  { name: "kv", backup: "kept", order: "space, key", retention: "until", spoken: true },
  { name: "episodes", backup: "kept", order: "session, host, day", retention: "events", session: ofSession },
  { name: "purged", backup: "kept", order: "session", retention: "ever" },
  {
    name: "sessions",
    backup: "derived",
    order: "id, host",
    retention: "ever",
    session: { id: "id", host: "host", purge: "delete" },
  },
  { name: "recoveries", backup: "derived", order: "failure", retention: "events", events: ["failure", "recovery"] },
  { name: "tries", backup: "derived", order: "grp, event", retention: "events", events: ["event"] },
  { name: "tried_groups", backup: "derived", order: "grp", retention: "ever" },
  {
    name: "repeats",
    backup: "derived",
    order: "kind, key, session, host",
    retention: "events",
    events: ["event"],
    session: ofSession,
  },
  {
    name: "facts",
    backup: "derived",
    order: "workspace, kind, subject, session, host",
    retention: "events",
    spoken: true,
    events: ["event"],
    session: ofSession,
  },
  { name: "failures", backup: "derived", order: "event", retention: "events", counts: true },
  { name: "failure_sessions", backup: "derived", order: "signature, session", retention: "events", counts: true },
  { name: "failure_groups", backup: "derived", order: "signature", retention: "events", counts: true },
  {
    name: "session_calls",
    backup: "derived",
    order: "session, host, day, workspace, tool",
    retention: "events",
    counts: true,
  },
  {
    name: "session_workspaces",
    backup: "derived",
    order: "workspace, session, host",
    retention: "events",
    counts: true,
  },
  { name: "kept_answers", backup: "derived", order: "kind, key", retention: "ever", spoken: true },
  { name: "vectors", backup: "derived", order: "noun, subject, model", retention: "events" },
  { name: "passages", backup: "derived", order: "id", retention: "ever", spoken: true },
  { name: "words", backup: "derived", order: "id", index: "words", retention: "events" },
  { name: "passage_words", backup: "derived", order: "id", index: "words", retention: "ever", spoken: true },
  { name: "word_totals", backup: "derived", order: "name", index: "words", retention: "ever" },
  { name: "word_counts", backup: "derived", order: "name, word", index: "words", retention: "ever", spoken: true },
  { name: "model_reservations", backup: "machine", order: "id", retention: "until" },
  { name: "breakers", backup: "machine", order: "provider", retention: "ever" },
  { name: "response_cache", backup: "machine", order: "key", retention: "until", spoken: true },
  { name: "leases", backup: "machine", order: "name", retention: "until" },
  // What is still to be done is in the tables of its owner: a restore enqueues it again.
  { name: "queue_items", backup: "machine", order: "queue, item", retention: "until" },
  { name: "claims", backup: "machine", order: "queue, item", retention: "until" },
  { name: "workers", backup: "machine", order: "id", retention: "until" },
  { name: "imports", backup: "machine", order: "machine, path", retention: "ever" },
  { name: "meta", backup: "machine", order: "key", retention: "ever" },
];

/** Tables that only one database has. */
export const onlyInStore: Readonly<Record<string, "sqlite" | "postgres">> = {
  word_counts: "postgres",
  queue_items: "sqlite",
};

/** The tables of pg-boss, in a schema of their own on PostgreSQL. In no backup, like `queue_items`. */
export const bossTables: readonly string[] = [
  "bam",
  "job",
  "job_common",
  "job_dependency",
  "queue",
  "queue_stats",
  "schedule",
  "subscription",
  "version",
  "warning",
];

/** The tables of this database. */
export function listOwnTables(db: Db): readonly Table[] {
  return tables.filter((table) => (onlyInStore[table.name] ?? db.dialect.name) === db.dialect.name);
}

/** Declared tables that are missing; word indexes are checked separately. */
export async function findMissingTables(db: Db): Promise<readonly string[]> {
  const there = await (await db.dialect.repair()).tableNames(db);
  return listOwnTables(db)
    .filter(({ name, index }) => index === undefined && !there.includes(name))
    .map(({ name }) => name);
}

/** The tables in a backup. */
export const backupTables: readonly Table[] = tables.filter((table) => table.backup === "kept");

/**
 * Entries in `meta`, by key prefix. `derived` ones describe what was derived from the rows of this mind: a
 * restore deletes them. `own` ones belong to this database and stay.
 */
export const metaKeys: readonly { readonly starts: string; readonly is: "derived" | "own" }[] = [
  ...Object.values(cursors).map((starts) => ({ starts, is: "derived" as const })),
  { starts: "repeats ", is: "derived" },
  { starts: "calls read ", is: "derived" },
  { starts: "facts made", is: "derived" },
  { starts: "embedded ", is: "derived" },
  { starts: "words made", is: "derived" },
  { starts: "rebuilding words", is: "derived" },
  { starts: "schema", is: "own" },
  { starts: "vector turn", is: "own" },
  { starts: "accepted risks", is: "own" },
  { starts: "maintained", is: "own" },
  { starts: "swept", is: "own" },
  { starts: "team ", is: "own" },
  { starts: "slack ", is: "own" },
  { starts: "placeholder key", is: "own" },
  { starts: "looked ", is: "own" },
];
