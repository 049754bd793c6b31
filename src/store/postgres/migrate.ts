import type pg from "pg";
import { newerSchemaError, foreignTablesError } from "../engine/migrate.ts";
import { SCHEMA_VERSION } from "../engine/schema-version.ts";
import type { PostgresLocation } from "./url.ts";

// Any constant, but the same in every oldhand.
const MIGRATION_LOCK = 0x01d4a4d;

/** One transaction under a transaction-level lock, so that it also works through a transaction pooler. */
export async function migrate(pool: pg.Pool, where: PostgresLocation, isHook = false): Promise<void> {
  const known = isHook ? await readKnownVersion(pool) : null;
  const before = known ?? (await readSchemaVersion(pool));
  if (before > SCHEMA_VERSION) throw newerSchemaError(where.place, before, SCHEMA_VERSION);
  if (before === SCHEMA_VERSION) return;
  const { migrations } = await import("./migrations/list.ts");
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    if (where.schema !== null) await client.query(`create schema if not exists ${where.schema}`);
    const from = await readSchemaVersion(client);
    if (from === 0) await refuseForeignTables(client, where, migrations);
    for (const sql of migrations.slice(from)) await client.query(sql);
    await client.query(
      "insert into meta (key, value) values ('schema', $1) on conflict (key) do update set value = excluded.value",
      [String(SCHEMA_VERSION)],
    );
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

/**
 * In one round trip, for hooks. Null if the tables do not exist or are not ours, or if the server could
 * not answer: then it is read step by step, which says why.
 */
async function readKnownVersion(pool: pg.Pool): Promise<number | null> {
  const found = await pool.query(KNOWN_VERSION).catch(() => null);
  const row = found?.rows[0] as { ours: boolean; value: string | null } | undefined;
  return row?.ours === true ? Number(row.value ?? 0) : null;
}

// Checks columns, not only table names: other programs have a table `meta` too.
const OURS = `select count(*) = 4 from pg_attribute
     where (attrelid = to_regclass('meta') and attname in ('key', 'value'))
        or (attrelid = to_regclass('journal') and attname in ('undoes', 'scrubbed'))`;
const KNOWN_VERSION = `select (${OURS}) as ours, (select value::text from meta where key = 'schema') as value`;

async function readSchemaVersion(client: pg.Pool | pg.PoolClient): Promise<number> {
  const ours = await client.query(`select (${OURS}) as ours`);
  if (!(ours.rows[0] as { ours: boolean }).ours) return 0;
  const found = await client.query("select value from meta where key = 'schema'");
  return Number((found.rows[0] as { value: string } | undefined)?.value ?? 0);
}

async function refuseForeignTables(
  client: pg.PoolClient,
  where: PostgresLocation,
  migrations: readonly string[],
): Promise<void> {
  const names = migrations.flatMap((sql) => [...sql.matchAll(/^create table (\w+)/gm)].map((match) => match[1]));
  const found = await client.query("select name from unnest($1::text[]) as name where to_regclass(name) is not null", [
    names,
  ]);
  if (found.rows.length === 0) return;
  throw foreignTablesError(
    where.place,
    found.rows.map((row: { name: string }) => row.name),
    "give oldhand a database of its own, or a schema: add ?schema=oldhand to the address",
  );
}
