import { newerSchema, strangeTables } from "../engine/migrate.ts";
import type { Connection } from "./engine.ts";
import { SCHEMA } from "../engine/schema-version.ts";
import { takeBack } from "./take-back.ts";

/** Brings the file to this program's schema. Two processes at once: one migrates, the other waits and finds it done. */
export function migrate(connection: Connection, migrations: readonly string[]): void {
  connection.exec("begin immediate");
  try {
    for (const sql of migrations.slice(versionOf(connection))) connection.exec(sql);
    connection.exec(`pragma user_version = ${migrations.length}`);
    connection.exec("commit");
  } catch (error) {
    takeBack(connection, null);
    throw error;
  }
}

export function isBehind(connection: Connection): boolean {
  return versionOf(connection) < SCHEMA;
}

/** Before anything is written: a file of a newer oldhand or of somebody else stays as it is. */
export function refuseStrangers(connection: Connection, place: string): void {
  const { ours } = connection.prepare(countOurs).get() as { ours: number };
  if (ours < OURS.length) refuseOtherTables(connection, place);
  const version = versionOf(connection);
  if (version > SCHEMA) throw newerSchema(place, version, SCHEMA);
}

const OURS = ["meta", "events", "journal"];
const countOurs = `select count(*) as ours from sqlite_master where type = 'table' and name in ('${OURS.join("', '")}')`;

function refuseOtherTables(connection: Connection, place: string): void {
  const names = connection.prepare("select name from sqlite_master where type = 'table' order by name").all() as {
    name: string;
  }[];
  if (names.length === 0) return;
  const tables = names.map((row) => row.name);
  throw strangeTables(place, tables, "give oldhand a file of its own with --home");
}

function versionOf(connection: Connection): number {
  return (connection.prepare("pragma user_version").get() as { user_version: number }).user_version;
}
