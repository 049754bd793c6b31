import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { errorMessage, OldhandError } from "../../lib/errors.ts";
import type { SqlValue } from "../engine/db.ts";
import { connect } from "./engine.ts";

export interface ForeignTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly orderBy: readonly string[];
}

export type ForeignRow = Readonly<Record<string, SqlValue>>;

/** Another program's database: rows are read one by one, and nothing is changed. */
export interface ForeignDatabase {
  rows(table: ForeignTable): Iterable<ForeignRow>;
  /** Empty if there is no such table. */
  columns(table: string): readonly string[];
  close(): void;
}

export function openForeignDatabase(path: string): ForeignDatabase {
  const attempt = <T>(act: () => T): T => {
    try {
      return act();
    } catch (cause) {
      throw new OldhandError("input", `cannot read all of ${path}: ${errorMessage(cause)}`, {
        hint: "everything before the damage was stored; run the same command again with an undamaged file to continue",
        cause,
      });
    }
  };
  const connection = attempt(() => connect(path, { readOnly: true }));
  return {
    rows: function* ({ name, columns, orderBy }) {
      const rows = attempt(() =>
        connection.prepare(`select ${columns.join(", ")} from ${name} order by ${orderBy.join(", ")}`).iterate(),
      );
      for (;;) {
        const next = attempt(() => rows.next());
        if (next.done === true) return;
        yield next.value as ForeignRow;
      }
    },
    columns: (table) => {
      const rows = attempt(() => connection.prepare("select name from pragma_table_info(?)").all(table));
      return (rows as { name: string }[]).map((row) => row.name);
    },
    close: () => connection.close(),
  };
}

/** True if the file is a SQLite database with all these tables. Throws if it cannot be read. */
export function hasTables(path: string, tables: readonly string[]): boolean {
  if (!isSqlite(path)) return false;
  const database = openForeignDatabase(path);
  try {
    return tables.every((table) => database.columns(table).length > 0);
  } finally {
    database.close();
  }
}

function isSqlite(path: string): boolean {
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  const head = Buffer.alloc(MAGIC.length);
  const file = openSync(path, "r");
  try {
    readSync(file, head, 0, MAGIC.length, 0);
  } finally {
    closeSync(file);
  }
  return head.toString("latin1") === MAGIC;
}

const MAGIC = "SQLite format 3\0";
