import type { Db, Words } from "../db.ts";
import { queryWords } from "../query-words.ts";

/** FTS5 without a copy of the text: the events hold it already. */
export const sqliteWords: Words = {
  index: async (db, rows) => {
    await db.insertMany(
      { table: "words", columns: ["rowid", "text"] },
      rows.map((row) => [row.id, row.text]),
    );
  },
  search: (db: Db, query, limit) => {
    const match = matchQuery(query);
    if (match === "") return Promise.resolve([]);
    return db.all<{ id: number; score: number }>(
      "select rowid as id, -bm25(words) as score from words where words match ? order by bm25(words) limit ?",
      [match, limit],
    );
  },
  remove: async (db, ids) => {
    await db.run(`delete from words where rowid in (${ids.map(() => "?").join(", ")})`, ids);
  },
  drop: async (db) => {
    await db.run("insert into words(words) values ('delete-all')");
  },
};

/** Each word quoted, so that nothing a person types is read as query syntax. */
function matchQuery(query: string): string {
  return queryWords(query)
    .map((word) => `"${word}"`)
    .join(" OR ");
}
