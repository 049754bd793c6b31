import { OldhandError } from "../../lib/errors.ts";
import type { Db, StoreScrub } from "../engine/db.ts";

/**
 * A plain `vacuum` moves the rows of a page together and leaves the bytes of deleted ones where they were. Only `vacuum full`
 * writes a table, its indexes and its long values to new files. The planner's statistics hold values too.
 */
export const postgresScrub: StoreScrub = { tables: scrub, everything: scrub };

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
 * Deleted rows that somebody may still see are copied along. That is so while any transaction of the server, of whatever
 * database, is older than the deletion; while anyone here holds a snapshot that is, PostgreSQL's own workers too; and while
 * a replica holds one.
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
  // The file of the statistics is the database owner's. For anyone else its old bytes stay until the server uses the place again.
  return (await ownsDatabase(db)) ? rewrite(db, ["pg_catalog.pg_statistic"]) : null;
}

/** `analyze` keeps the statistics of a table without rows. A column loses them when it is given a type, also its own. */
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
