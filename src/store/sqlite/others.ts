import { messageOf, OldhandError } from "../../lib/errors.ts";
import type { Value } from "../db.ts";
import { connect } from "./engine.ts";

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly orderBy: readonly string[];
}

export type Row = Readonly<Record<string, Value>>;

/** A database that is somebody else's: rows are read one after the other, and nothing is changed. */
export interface OtherDatabase {
  rows(table: Table): Iterable<Row>;
  close(): void;
}

export function openOther(path: string): OtherDatabase {
  const attempt = <T>(act: () => T): T => {
    try {
      return act();
    } catch (cause) {
      throw new OldhandError("input", `cannot read all of ${path}: ${messageOf(cause)}`, {
        hint: "what came before was stored; with a whole file the same command goes on from there",
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
        yield next.value as Row;
      }
    },
    close: () => connection.close(),
  };
}
