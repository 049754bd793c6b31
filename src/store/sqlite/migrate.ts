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
  const names = connection.prepare("select name from sqlite_master where type = 'table' order by name").all() as {
    name: string;
  }[];
  const tables = names.map((row) => row.name);
  if (tables.length > 0 && !["meta", "events", "journal"].every((name) => tables.includes(name)))
    throw strangeTables(place, tables, "give oldhand a file of its own with --home");
  const version = versionOf(connection);
  if (version > SCHEMA) throw newerSchema(place, version, SCHEMA);
}

function versionOf(connection: Connection): number {
  return (connection.prepare("pragma user_version").get() as { user_version: number }).user_version;
}
