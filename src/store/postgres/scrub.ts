import type { Db, Scrub } from "../engine/db.ts";

/**
 * A plain `vacuum` moves the rows of a page together and leaves the bytes of deleted ones where they were. Only `vacuum full`
 * writes a table, its indexes and its long values to new files. The planner's statistics hold values too.
 */
export const postgresScrub: Scrub = { tables: rewrite, everything: rewrite };

async function rewrite(db: Db, names: readonly string[]): Promise<string | null> {
  const now = await db.get<{ xid: string }>("select cast(cast(pg_current_xact_id() as xid) as text) as xid");
  const before = await filesOf(db, names);
  for (let attempt = 1; ; attempt++) {
    const reader = await earlierReader(db, now?.xid ?? "0");
    const left = reader ? names : await unwritten(db, names, before);
    if (left.length > 0 && !reader) await db.run(`vacuum (full, analyze, skip_locked) ${left.join(", ")}`);
    if (!reader && (await unwritten(db, names, before)).length === 0) break;
    if (attempt === ATTEMPTS)
      return reader
        ? "another connection still sees the database as it was before"
        : "another connection holds tables of the database";
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  // For the owner of the database alone; others are only warned, and the statistics go with the next `analyze`.
  await db.run("vacuum (full, skip_locked) pg_statistic");
  return null;
}

const ATTEMPTS = 20;
const PAUSE_MS = 100;

/** Rows that somebody may still see would be copied along. */
async function earlierReader(db: Db, xid: string): Promise<boolean> {
  const row = await db.get<{ count: number }>(
    `select count(*) as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
       and backend_xmin is not null and age(backend_xmin) >= age(cast(? as xid))`,
    [xid],
  );
  return (row?.count ?? 0) > 0;
}

async function filesOf(db: Db, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ name: string; file: number }>(
    `select name, pg_relation_filenode(to_regclass(name)) as file from json_array_elements_text(cast(? as json)) as asked (name)`,
    [JSON.stringify(names)],
  );
  return new Map(rows.map((row) => [row.name, row.file]));
}

async function unwritten(db: Db, names: readonly string[], before: ReadonlyMap<string, number>) {
  const now = await filesOf(db, names);
  return names.filter((name) => now.get(name) === before.get(name));
}
