import type { Db, WordQueryOptions, SqlValue, WordIndex } from "../engine/db.ts";

/** A tsvector for each row, made from our own words: PostgreSQL's parser would treat a path or a URL as one word. */
export function postgresWords(table: "words" | "passage_words"): WordIndex {
  const select = (
    db: Db,
    query: string,
    order: { readonly sql: string; readonly values: readonly SqlValue[] },
    { limit, within }: WordQueryOptions,
  ) =>
    db
      .all<{ id: number }>(
        `select id from ${table} where text @@ cast(? as tsquery) ${within ? `and ${within.sql.replaceAll(":id", `${table}.id`)}` : ""}
         order by ${order.sql} limit ?`,
        [query, ...(within?.values ?? []), ...order.values, limit],
      )
      .then((rows) => rows.map((row) => row.id));
  return {
    index: async (db, rows) => {
      if (rows.length === 0) return;
      const words = rows.reduce((sum, row) => sum + row.words.length, 0);
      const distinct = rows.map((row) => ({ id: row.id, words: [...new Set(row.words)] }));
      await db.run(
        `insert into ${table} (id, text)
         select (row ->> 'id')::bigint, array_to_tsvector(array(select jsonb_array_elements_text(row -> 'words')))
         from jsonb_array_elements(cast(? as jsonb)) as row
         on conflict (id) do nothing`,
        [JSON.stringify(distinct)],
      );
      await count(db, table, tally(distinct), 1);
      await db.run("update word_totals set row_count = row_count + ?, word_count = word_count + ? where name = ?", [
        rows.length,
        words,
        table,
      ]);
    },
    counts: async (db, words) => {
      const rows = await db.all<{ word: string; rows: number }>(
        `select word, row_count as rows from word_counts
         where name = ? and row_count > 0 and word in (select json_array_elements_text(cast(? as json)))`,
        [table, JSON.stringify(words)],
      );
      return new Map(rows.map((row) => [row.word, row.rows]));
    },
    totals: async (db) => {
      const row = await db.get<{ rows: number; words: number }>(
        "select row_count as rows, word_count as words from word_totals where name = ?",
        [table],
      );
      return row ?? { rows: 0, words: 0 };
    },
    any: (db, words, options) =>
      select(
        db,
        words.map(({ word }) => quoted(word)).join(" | "),
        {
          sql: `${words.map(() => "case when text @@ cast(? as tsquery) then cast(? as float8) else 0 end").join(" + ")} desc, id desc`,
          values: words.flatMap(({ word, weight }) => [quoted(word), weight]),
        },
        options,
      ),
    all: (db, words, options) => select(db, words.map(quoted).join(" & "), { sql: "id desc", values: [] }, options),
    remove: async (db, ids) => {
      const gone = await db.all<{ words: string }>(
        `delete from ${table} where id in (${ids.map(() => "?").join(", ")})
         returning array_to_json(tsvector_to_array(text))::text as words`,
        ids,
      );
      const rows = gone.map((row) => ({ words: JSON.parse(row.words) as string[] }));
      const words = tally(rows);
      await count(db, table, words, -1);
      await db.run(
        `delete from word_counts where name = ? and row_count <= 0
         and word in (select json_array_elements_text(cast(? as json)))`,
        [table, JSON.stringify([...words.keys()])],
      );
      await db.run(
        `update word_totals set word_count = word_count - case when row_count = 0 then 0 else word_count * ? / row_count end,
           row_count = greatest(0, row_count - ?) where name = ?`,
        [gone.length, gone.length, table],
      );
    },
    mend: async (db) => {
      const row = await db.get<{ there: boolean }>(
        "select to_regclass(?) is not null and to_regclass(?) is not null as there",
        [table, `${table}_text`],
      );
      if (row?.there === true) return false;
      await db.run(`drop table if exists ${table}`);
      await db.run(`create table ${table} (id bigint primary key, text tsvector not null)`);
      await db.run(`create index ${table}_text on ${table} using gin (text)`);
      await db.run("delete from word_counts where name = ?", [table]);
      await db.run("update word_totals set row_count = 0, word_count = 0 where name = ?", [table]);
      return true;
    },
    drop: async (db) => {
      await db.run(`truncate ${table}`);
      await db.run("delete from word_counts where name = ?", [table]);
      await db.run("update word_totals set row_count = 0, word_count = 0 where name = ?", [table]);
    },
  };
}

function tally(rows: readonly { readonly words: readonly string[] }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) for (const word of row.words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Ordered by word, so that two concurrent updates cannot deadlock. */
async function count(db: Db, table: string, counts: ReadonlyMap<string, number>, sign: 1 | -1): Promise<void> {
  if (counts.size === 0) return;
  await db.run(
    `insert into word_counts (name, word, row_count)
     select ?, entry.key, cast(entry.value as bigint) * ${sign} from jsonb_each_text(cast(? as jsonb)) as entry order by entry.key
     on conflict (name, word) do update set row_count = word_counts.row_count + excluded.row_count`,
    [table, JSON.stringify(Object.fromEntries(counts))],
  );
}

/** Prevents a word from being read as query syntax. */
function quoted(word: string): string {
  return `'${word}'`;
}
