import type { Db, Words } from "../db.ts";
import { queryWords } from "../query-words.ts";

/** A tsvector per event: the text itself stays with the event. */
export const postgresWords: Words = {
  index: async (db, rows) => {
    if (rows.length === 0) return;
    await db.run(
      `insert into words (id, text)
       select (row ->> 'id')::bigint, to_tsvector('english', row ->> 'text')
       from jsonb_array_elements(cast(? as jsonb)) as row
       on conflict (id) do nothing`,
      [JSON.stringify(rows.map((row) => ({ id: row.id, text: plainWords(row.text) })))],
    );
  },
  search: (db: Db, query, limit) => {
    const words = anyOf(query);
    if (words === "") return Promise.resolve([]);
    return db.all<{ id: number; score: number }>(
      `select id, ts_rank_cd(text, query)::float8 as score
       from words, to_tsquery('english', ?) as query
       where text @@ query order by score desc, id desc limit ?`,
      [words, limit],
    );
  },
  remove: async (db, ids) => {
    await db.run(`delete from words where id in (${ids.map(() => "?").join(", ")})`, ids);
  },
  drop: async (db) => {
    await db.run("truncate words");
  },
};

/** PostgreSQL takes a path, a host or an address for one word; we look for their parts, as the other store does. */
function plainWords(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}_]+/gu, " ");
}

/** Each word quoted, so that nothing a person types is read as query syntax. */
function anyOf(query: string): string {
  return queryWords(query)
    .map((word) => `'${word}'`)
    .join(" | ");
}
