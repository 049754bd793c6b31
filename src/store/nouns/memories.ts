import { hashText } from "../../lib/hash.ts";
import {
  type Memory,
  type MemoryScope,
  memoryStatuses,
  formatMemoryScope,
  type Viewer,
} from "../../domain/memory/memory.ts";
import { tokeniseQuery } from "../../domain/text/tokenise.ts";
import type { Origin } from "../../domain/rule/rule.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import { findRowsByWords } from "../state/find-rows-by-words.ts";
import type { Noun } from "./noun.ts";
import { type NewPassage, getPassagesByIds, putPassages, removePassage, buildPassageFilter } from "./passages.ts";

const columns =
  "id, key, text, kind, category, importance, confidence, tags, scope_kind, scope_name, origin, trust, supersedes, pinned, status, created_at";

const BATCH = 500;

/** The same key and scope are always the same memory: its journal continues after it was undone or forgotten. */
export function makeMemoryId(scope: MemoryScope, key: string): string {
  return `m_${hashText(JSON.stringify([scope.kind, scopeName(scope), key]))}`;
}

/** The scope under which a memory is stored: in a shared mind, all clones of a repository have one. */
export async function nameMemoryScope(db: Db, scope: MemoryScope): Promise<MemoryScope> {
  if (db.machine === undefined || scope.kind !== "workspace") return scope;
  const { nameWorkspace } = await import("../state/workspaces.ts");
  return { ...scope, name: await nameWorkspace(db, scope.name) };
}

export async function getMemory(db: Db, id: string): Promise<Memory | null> {
  const row = await db.get<MemoryRow>(`select ${columns} from memories where id = ?`, [id]);
  return row ? fromRow(row) : null;
}

export interface MemoryFilter {
  readonly status?: Memory["status"] | undefined;
  readonly kind?: Memory["kind"] | undefined;
  readonly tag?: string | undefined;
  /** Only memories visible to this viewer. */
  readonly viewer?: Viewer | undefined;
  /** Only memories of exactly this scope. */
  readonly scope?: MemoryScope | undefined;
  readonly pinned?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** Most important first. One query per scope, so that the index returns the first rows and nothing else is read. */
export async function listMemories(db: Db, filter: MemoryFilter = {}): Promise<Memory[]> {
  const { tag, limit = Number.MAX_SAFE_INTEGER, viewer: _viewer, scope: _scope, ...rest } = filter;
  const filters = (await listWantedScopes(db, filter))?.map((scope) => ({ ...rest, scope })) ?? [rest];
  const found: Memory[] = [];
  for (const each of filters) {
    const { where, values } = buildCondition(each);
    const rows = await db.all<MemoryRow>(
      `select ${columns} from memories where ${where} order by importance desc, confidence desc, created_at desc, id limit ?`,
      [...values, tag === undefined ? limit : Number.MAX_SAFE_INTEGER],
    );
    found.push(...rows.map(fromRow));
  }
  return found
    .filter((memory) => tag === undefined || memory.tags.includes(tag))
    .toSorted(mostImportantFirst)
    .slice(0, limit);
}

function mostImportantFirst(a: Memory, b: Memory): number {
  return (
    b.importance - a.importance || b.confidence - a.confidence || b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)
  );
}

/** True if there are any memories. */
export async function hasMemories(db: Db): Promise<boolean> {
  return (await db.get("select 1 as there from memories limit 1")) !== undefined;
}

/** Searches by words, most likely first, among memories that pass the filter. */
export async function searchMemories(
  db: Db,
  query: string,
  filter: MemoryFilter & { readonly limit: number },
): Promise<Memory[]> {
  const scopes = await listWantedScopes(db, filter);
  const scope = { noun: NOUN, scopes: scopes && listPassageScopes(scopes, filter.status) };
  const found = await findRowsByWords(db, await db.dialect.passageWords(), tokeniseQuery(query), {
    limit: filter.limit,
    within: buildPassageFilter(scope),
  });
  const passages = new Map((await getPassagesByIds(db, found.ids, scope)).map((one) => [one.id, one.subject]));
  const memories = await getMemoriesByIds(db, [...passages.values()]);
  return found.ids
    .flatMap((id) => memories.get(passages.get(id) ?? "") ?? [])
    .filter((memory) => filter.status === undefined || memory.status === filter.status);
}

export async function getMemoriesByIds(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Memory>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all<MemoryRow>(
    `select ${columns} from memories where id in (${ids.map(() => "?").join(", ")})`,
    ids,
  );
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/** Fields that rank memories; the others are read only for those shown. */
export type MemoryRanking = Pick<Memory, "importance" | "confidence" | "createdAt">;

export async function readMemoryRankings(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, MemoryRanking>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all<{ id: string; importance: number; confidence: number; created_at: number }>(
    `select id, importance, confidence, created_at from memories where id in (${ids.map(() => "?").join(", ")})`,
    ids,
  );
  return new Map(rows.map(({ created_at, ...row }) => [row.id, { ...row, createdAt: created_at }]));
}

const NOUN = "memory";

/** The passage scope of a memory: inactive ones have separate scopes. */
export function getPassageScope(memory: Pick<Memory, "scope" | "status">): string {
  return memory.status === "active"
    ? formatMemoryScope(memory.scope)
    : `${memory.status}, ${formatMemoryScope(memory.scope)}`;
}

/** The passage scopes visible to a viewer. */
export async function listVisibleScopes(db: Db, viewer: Viewer): Promise<readonly string[]> {
  return listPassageScopes(await inAllClones(db, listVisibleMemoryScopes(viewer)), "active");
}

/** Undefined: all. */
async function listWantedScopes(db: Db, { scope, viewer }: MemoryFilter): Promise<readonly MemoryScope[] | undefined> {
  const scopes = scope === undefined ? viewer && listVisibleMemoryScopes(viewer) : [scope];
  return scopes && inAllClones(db, scopes);
}

/** In a shared mind, a workspace also has the memories of the same repository in folders of other machines. */
async function inAllClones(db: Db, scopes: readonly MemoryScope[]): Promise<readonly MemoryScope[]> {
  if (db.machine === undefined) return scopes;
  const { listWorkspaceNames } = await import("../state/shared-scopes.ts");
  const all: MemoryScope[] = [];
  for (const scope of scopes) {
    if (scope.kind !== "workspace") all.push(scope);
    else all.push(...(await listWorkspaceNames(db, scope.name)).map((name) => ({ ...scope, name })));
  }
  return all;
}

function listPassageScopes(scopes: readonly MemoryScope[], status: Memory["status"] | undefined): readonly string[] {
  const statuses = status === undefined ? memoryStatuses : [status];
  return scopes.flatMap((scope) => statuses.map((each) => getPassageScope({ scope, status: each })));
}

/** The memories that supersede it, and so refer to it. */
export async function listSuccessors(db: Db, id: string): Promise<Memory[]> {
  const rows = await db.all<MemoryRow>(
    `select ${columns} from memories where supersedes like ? order by created_at, id`,
    [`%${JSON.stringify(id)}%`],
  );
  return rows.map(fromRow).filter((memory) => memory.supersedes.includes(id));
}

/** Rebuilds the word index: after a restore, or after it was dropped. */
export async function rebuildMemoryWordIndex(db: Db): Promise<number> {
  return db.tx(async (tx) => {
    await tx.run("delete from passages where noun = ?", [NOUN]);
    await (await tx.dialect.passageWords()).drop(tx);
    let total = 0;
    for (let after = 0; ;) {
      const rows = await tx.all<MemoryRow & { number: number }>(
        `select number, ${columns} from memories where number > ? order by number limit ?`,
        [after, BATCH],
      );
      await putPassages(
        tx,
        rows.map((row) => toPassage(fromRow(row))),
      );
      total += rows.length;
      after = rows.at(-1)?.number ?? after;
      if (rows.length < BATCH) return total;
    }
  });
}

/** Only the journal calls these: a memory never changes without an entry. */
export const memoryNoun: Noun<Memory> = {
  name: "memory",
  read: getMemory,
  write: async (db, id, memory) => {
    if (memory === null) {
      await removePassage(db, NOUN, id);
      await db.run("delete from memories where id = ?", [id]);
      return;
    }
    await db.run(upsert, [
      id,
      memory.key,
      memory.text,
      memory.kind,
      memory.category,
      memory.importance,
      memory.confidence,
      JSON.stringify(memory.tags),
      memory.scope.kind,
      scopeName(memory.scope),
      memory.origin,
      memory.trust,
      JSON.stringify(memory.supersedes),
      memory.pinned ? 1 : 0,
      memory.status,
      memory.createdAt,
    ]);
    await putPassages(db, [toPassage(memory)]);
  },
  all: (db) => listMemories(db),
  dependants: async (db, id) => (await listSuccessors(db, id)).map((memory) => `memory ${memory.id}`),
};

// The number is the word index's row id. Writers hold the journal's lock, so it is unique.
const upsert = `
  insert into memories (number, ${columns})
  values ((select coalesce(max(number), 0) + 1 from memories), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (id) do update set
    key = excluded.key, text = excluded.text, kind = excluded.kind, category = excluded.category,
    importance = excluded.importance, confidence = excluded.confidence, tags = excluded.tags,
    scope_kind = excluded.scope_kind, scope_name = excluded.scope_name, origin = excluded.origin, trust = excluded.trust,
    supersedes = excluded.supersedes, pinned = excluded.pinned, status = excluded.status, created_at = excluded.created_at`;

function buildCondition(filter: Omit<MemoryFilter, "viewer" | "tag" | "limit">): {
  readonly where: string;
  readonly values: readonly SqlValue[];
} {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const where = (condition: string, ...given: readonly SqlValue[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (filter.status !== undefined) where("memories.status = ?", filter.status);
  if (filter.kind !== undefined) where("memories.kind = ?", filter.kind);
  // A literal, because otherwise the partial index on pinned memories is not used.
  if (filter.pinned !== undefined) where(`memories.pinned = ${filter.pinned ? 1 : 0}`);
  if (filter.scope !== undefined)
    where("memories.scope_kind = ? and memories.scope_name = ?", filter.scope.kind, scopeName(filter.scope));
  return { where: conditions.length === 0 ? "1 = 1" : conditions.join(" and "), values };
}

function listVisibleMemoryScopes(viewer: Viewer): readonly MemoryScope[] {
  const named = (["workspace", "goal", "agent"] as const).flatMap((kind): MemoryScope[] => {
    const name = viewer[kind];
    return name ? [{ kind, name }] : [];
  });
  return [{ kind: "global" }, ...named];
}

export function toPassage(memory: Memory): NewPassage {
  return { noun: NOUN, subject: memory.id, scope: getPassageScope(memory), text: searchableText(memory) };
}

/** Key and tags are searchable too. */
function searchableText(memory: Memory): string {
  return [memory.text, memory.key === memory.id ? "" : memory.key.replaceAll(/[_-]/g, " "), ...memory.tags].join("\n");
}

function scopeName(scope: MemoryScope): string {
  return scope.kind === "global" ? "" : scope.name;
}

interface MemoryRow {
  id: string;
  key: string;
  text: string;
  kind: string;
  category: string | null;
  importance: number;
  confidence: number;
  tags: string;
  scope_kind: string;
  scope_name: string;
  origin: string;
  trust: string;
  supersedes: string;
  pinned: number;
  status: string;
  created_at: number;
}

function fromRow(row: MemoryRow): Memory {
  return {
    id: row.id,
    key: row.key,
    text: row.text,
    kind: row.kind as Memory["kind"],
    category: row.category as Memory["category"],
    importance: row.importance,
    confidence: row.confidence,
    tags: JSON.parse(row.tags) as string[],
    scope:
      row.scope_kind === "global"
        ? { kind: "global" }
        : { kind: row.scope_kind as "workspace" | "goal" | "agent", name: row.scope_name },
    origin: row.origin as Origin,
    trust: row.trust as Origin,
    supersedes: JSON.parse(row.supersedes) as string[],
    pinned: row.pinned === 1,
    status: row.status as Memory["status"],
    createdAt: row.created_at,
  };
}
