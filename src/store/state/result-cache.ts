import type { Db } from "../engine/db.ts";

/**
 * Slow results, cached with the version of their input; readers compare the version. Any of them may be
 * dropped at any time and is computed again. They contain excerpts of events: code that deletes events must
 * drop them.
 */
export type CachedKind = "advice" | "mistake" | "proposals" | "recount" | "rule";

export interface CachedResult {
  readonly version: string;
  readonly value: string;
}

const CHUNK = 500;

/** Results for some keys, or all of a kind. */
export async function readCachedResults(
  db: Db,
  kind: CachedKind,
  keys: readonly string[] | null = null,
): Promise<ReadonlyMap<string, CachedResult>> {
  const select = "select key, version, value from kept_answers where kind = ?";
  const rows: (CachedResult & { readonly key: string })[] = [];
  if (keys === null) rows.push(...(await db.all<CachedResult & { key: string }>(select, [kind])));
  else
    for (let from = 0; from < keys.length; from += CHUNK) {
      const some = keys.slice(from, from + CHUNK);
      const sql = `${select} and key in (${some.map(() => "?").join(", ")})`;
      rows.push(...(await db.all<CachedResult & { key: string }>(sql, [kind, ...some])));
    }
  return new Map(rows.map(({ key, version, value }) => [key, { version, value }]));
}

export async function writeCachedResults(
  db: Db,
  kind: CachedKind,
  rows: readonly (CachedResult & { readonly key: string })[],
): Promise<void> {
  if (rows.length === 0) return;
  await db.insertMany(
    {
      table: "kept_answers",
      columns: ["kind", "key", "version", "value"],
      tail: "on conflict (kind, key) do update set version = excluded.version, value = excluded.value",
    },
    rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map((row) => [kind, row.key, row.version, row.value]),
  );
}

/** All of a kind, or all kinds. */
export async function clearCachedResults(db: Db, kind: CachedKind | null = null): Promise<void> {
  await (kind === null
    ? db.run("delete from kept_answers")
    : db.run("delete from kept_answers where kind = ?", [kind]));
}
