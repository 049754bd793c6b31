import type { Db, Words } from "../db.ts";
import { queryWords } from "../query-words.ts";

/** A tsvector per row: the text itself stays with the table it is about. */
export function postgresWords(index: string, about: { readonly table: string; readonly number: string }): Words {
  return {
    index: async (db, rows) => {
      if (rows.length === 0) return;
      await db.run(
        `insert into ${index} (id, text)
         select (row ->> 'id')::bigint, to_tsvector('english', row ->> 'text')
         from jsonb_array_elements(cast(? as jsonb)) as row
         on conflict (id) do nothing`,
        [JSON.stringify(rows.map((row) => ({ id: row.id, text: plainWords(row.text) })))],
      );
    },
    search: (db: Db, query, limit, among) => {
      const words = anyOf(query);
      if (words === "") return Promise.resolve([]);
      const rows = among ? `join ${about.table} on ${about.table}.${about.number} = ${index}.id` : "";
      return db.all<{ id: number; score: number }>(
        `select ${index}.id as id, ts_rank_cd(${index}.text, query)::float8 as score
         from ${index} ${rows} cross join to_tsquery('english', ?) as query
         where ${index}.text @@ query ${among ? `and (${among.where})` : ""} order by score desc, ${index}.id desc limit ?`,
        [words, ...(among?.values ?? []), limit],
      );
    },
    remove: async (db, ids) => {
      await db.run(`delete from ${index} where id in (${ids.map(() => "?").join(", ")})`, ids);
    },
    drop: async (db) => {
      await db.run(`truncate ${index}`);
    },
  };
}

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
