import { newerSchemaError, foreignTablesError } from "../engine/migrate.ts";
import type { Connection } from "./engine.ts";
import { SCHEMA_VERSION } from "../engine/schema-version.ts";
import { rollBack } from "./roll-back.ts";

/** Updates the file to this program's schema. Of two processes one migrates; the other waits and finds it done. */
export function migrate(connection: Connection, migrations: readonly string[]): void {
  connection.exec("begin immediate");
  try {
    for (const sql of migrations.slice(readSchemaVersion(connection))) connection.exec(sql);
    connection.exec(`pragma user_version = ${migrations.length}`);
    connection.exec("commit");
  } catch (error) {
    rollBack(connection, null);
    throw error;
  }
}

export function isSchemaBehind(connection: Connection): boolean {
  return readSchemaVersion(connection) < SCHEMA_VERSION;
}

/** Before anything is written: a file of a newer oldhand or of another program is refused unchanged. */
export function refuseForeignFile(connection: Connection, place: string): void {
  const found = connection.prepare(countTables).get() as { tables: number; ours: number };
  if (found.tables > 0 && found.ours < OURS.length) {
    throw foreignTablesError(place, listTables(connection), "give oldhand a file of its own with --home");
  }
  const version = readSchemaVersion(connection);
  if (version > SCHEMA_VERSION) throw newerSchemaError(place, version, SCHEMA_VERSION);
}

const OURS = ["meta", "events", "journal"];
/** Both numbers in one statement: between two statements another process may create our tables. */
const countTables = `select count(*) as tables, count(case when name in ('${OURS.join("', '")}') then 1 end) as ours from sqlite_master where type = 'table'`;

function listTables(connection: Connection): string[] {
  const rows = connection.prepare("select name from sqlite_master where type = 'table' order by name").all();
  return (rows as { name: string }[]).map((row) => row.name);
}

function readSchemaVersion(connection: Connection): number {
  return (connection.prepare("pragma user_version").get() as { user_version: number }).user_version;
}
