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
  const { ours } = connection.prepare(countOurs).get() as { ours: number };
  if (ours < OURS.length) refuseOtherTables(connection, place);
  const version = readSchemaVersion(connection);
  if (version > SCHEMA_VERSION) throw newerSchemaError(place, version, SCHEMA_VERSION);
}

const OURS = ["meta", "events", "journal"];
const countOurs = `select count(*) as ours from sqlite_master where type = 'table' and name in ('${OURS.join("', '")}')`;

function refuseOtherTables(connection: Connection, place: string): void {
  const names = connection.prepare("select name from sqlite_master where type = 'table' order by name").all() as {
    name: string;
  }[];
  if (names.length === 0) return;
  const tables = names.map((row) => row.name);
  throw foreignTablesError(place, tables, "give oldhand a file of its own with --home");
}

function readSchemaVersion(connection: Connection): number {
  return (connection.prepare("pragma user_version").get() as { user_version: number }).user_version;
}
