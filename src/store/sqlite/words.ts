import type { Db, Words } from "../db.ts";
import { queryWords } from "../query-words.ts";

/** FTS5 without a copy of the text: the table it is about holds it already, under the same number. */
export function sqliteWords(index: string, about: { readonly table: string; readonly number: string }): Words {
  return {
    index: async (db, rows) => {
      await db.insertMany(
        { table: index, columns: ["rowid", "text"] },
        rows.map((row) => [row.id, row.text]),
      );
    },
    search: (db: Db, query, limit, among) => {
      const match = matchQuery(query);
      if (match === "") return Promise.resolve([]);
      const rows = among ? `join ${about.table} on ${about.table}.${about.number} = ${index}.rowid` : "";
      return db.all<{ id: number; score: number }>(
        `select ${index}.rowid as id, -bm25(${index}) as score from ${index} ${rows}
         where ${index} match ? ${among ? `and (${among.where})` : ""} order by bm25(${index}) limit ?`,
        [match, ...(among?.values ?? []), limit],
      );
    },
    remove: async (db, ids) => {
      await db.run(`delete from ${index} where rowid in (${ids.map(() => "?").join(", ")})`, ids);
    },
    drop: async (db) => {
      await db.run(`insert into ${index}(${index}) values ('delete-all')`);
    },
  };
}

/** Each word quoted, so that nothing a person types is read as query syntax. */
function matchQuery(query: string): string {
  return queryWords(query)
    .map((word) => `"${word}"`)
    .join(" OR ");
}
