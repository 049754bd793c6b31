import { OldhandError } from "../../lib/errors.ts";
import type { Db, StoreScrub } from "../engine/db.ts";
import { findJobTable } from "./queue-schema.ts";

/**
 * A plain `vacuum` compacts a page and leaves the bytes of deleted rows in it. Only `vacuum full` writes a
 * table, its indexes and its long values to new files. The planner's statistics contain values too.
 */
export const postgresScrub: StoreScrub = {
  tables: scrub,
  // The reasons of failed work are in the queue's own table.
  everything: async (db, names) => {
    const jobs = await findJobTable(db);
    return scrub(db, jobs === null ? names : [...names, `${jobs}_common`]);
  },
};

async function scrub(db: Db, names: readonly string[]): Promise<string | null> {
  try {
    return (await rewrite(db, names)) ?? (await scrubStatistics(db, names));
  } catch (error) {
    if (error instanceof OldhandError && error.code === "store-locked") return HELD;
    throw error;
  }
}

const HELD = "another connection has locked tables of the database";

async function rewrite(db: Db, names: readonly string[]): Promise<string | null> {
  const now = await db.get<{ xid: string }>("select cast(pg_current_xact_id() as text) as xid");
  const before = await filesOf(db, names);
  for (let attempt = 1; ; attempt++) {
    const visible = await mayBeVisible(db, now?.xid ?? "0");
    const left = visible ? names : await listUnwritten(db, names, before);
    if (left.length > 0 && !visible) await db.run(`vacuum (full, skip_locked) ${left.join(", ")}`);
    if (!visible && (await listUnwritten(db, names, before)).length === 0) return null;
    if (attempt === ATTEMPTS) return visible ? "an older transaction is still open on the server" : HELD;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

const ATTEMPTS = 50;
const PAUSE_MS = 100;

/**
 * `vacuum full` also copies deleted rows that may still be visible: while any transaction of the server, in
 * any database, is older than the deletion; while any session here, including PostgreSQL's own workers, has
 * such a snapshot; and while a replica has one.
 */
async function mayBeVisible(db: Db, xid: string): Promise<boolean> {
  const row = await db.get<{ visible: boolean }>(
    `select pg_snapshot_xmin(pg_current_snapshot()) <= cast(? as xid8)
       or exists (select 1 from pg_stat_activity
         where (datname = current_database() or datname is null) and pid <> pg_backend_pid()
           and backend_xmin is not null and age(backend_xmin) >= age(cast(cast(? as xid8) as xid)))
       or exists (select 1 from pg_replication_slots
         where greatest(age(xmin), age(catalog_xmin)) >= age(cast(cast(? as xid8) as xid)))
       as visible`,
    [xid, xid, xid],
  );
  return row?.visible === true;
}

async function filesOf(db: Db, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ name: string; file: number }>(
    `select name, pg_relation_filenode(to_regclass(name)) as file from json_array_elements_text(cast(? as json)) as asked (name)`,
    [JSON.stringify(names)],
  );
  return new Map(rows.map((row) => [row.name, row.file]));
}

async function listUnwritten(db: Db, names: readonly string[], before: ReadonlyMap<string, number>) {
  const now = await filesOf(db, names);
  return names.filter((name) => now.get(name) === before.get(name));
}

async function scrubStatistics(db: Db, names: readonly string[]): Promise<string | null> {
  await db.tx(async (tx) => {
    await tx.run(`set local lock_timeout = ${ATTEMPTS * PAUSE_MS}`);
    for (const name of names) await dropStatisticsIfEmpty(tx, name);
    await tx.run(`analyze ${names.join(", ")}`);
  });
  // Only the database's owner can rewrite the statistics table. For others, its old bytes stay until the
  // server reuses the space.
  return (await ownsDatabase(db)) ? rewrite(db, ["pg_catalog.pg_statistic"]) : null;
}

/** `analyze` keeps the statistics of an empty table. Setting a column's type, even to the same type, deletes them. */
async function dropStatisticsIfEmpty(tx: Db, name: string): Promise<void> {
  if ((await tx.get(`select 1 as one from ${name} limit 1`)) !== undefined) return;
  const columns = await tx.all<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
     from pg_attribute join pg_stats using (attname)
     where attrelid = to_regclass(?) and schemaname = current_schema() and tablename = ?`,
    [name, name],
  );
  for (const column of columns) await tx.run(`alter table ${name} alter column "${column.name}" type ${column.type}`);
}

async function ownsDatabase(db: Db): Promise<boolean> {
  const row = await db.get<{ owns: boolean }>(
    "select pg_has_role(datdba, 'usage') as owns from pg_database where datname = current_database()",
  );
  return row?.owns === true;
}
