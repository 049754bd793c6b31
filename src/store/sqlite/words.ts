import type { Db, Narrowed, Words } from "../db.ts";

/** FTS5 without a copy of the text: who is found holds it already. */
export function sqliteWords(table: "words" | "passage_words"): Words {
  const select = (db: Db, match: string, order: string, { limit, within }: Narrowed) =>
    db
      .all<{ id: number }>(
        `select rowid as id from ${table} where ${table} match ? ${within ? `and ${within.sql.replaceAll(":id", `${table}.rowid`)}` : ""}
         order by ${order} limit ?`,
        [match, ...(within?.values ?? []), limit],
      )
      .then((rows) => rows.map((row) => row.id));
  return {
    index: async (db, rows) => {
      if (rows.length === 0) return;
      await db.insertMany(
        { table, columns: ["rowid", "text"] },
        rows.map((row) => [row.id, row.words.join(" ")]),
      );
      const words = rows.reduce((sum, row) => sum + row.words.length, 0);
      await db.run("update word_totals set row_count = row_count + ?, word_count = word_count + ? where name = ?", [
        rows.length,
        words,
        table,
      ]);
    },
    counts: async (db, words) => {
      const rows = await db.all<{ word: string; rows: number }>(
        `select term as word, doc as rows from ${table}_counts where term in (select value from json_each(?))`,
        [JSON.stringify(words)],
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
    any: (db, words, options) => select(db, words.map(({ word }) => quoted(word)).join(" OR "), "rank", options),
    all: (db, words, options) => select(db, words.map(quoted).join(" AND "), "rowid desc", options),
    remove: async (db, ids) => {
      const gone = await db.run(`delete from ${table} where rowid in (${ids.map(() => "?").join(", ")})`, ids);
      await db.run(
        `update word_totals set word_count = word_count - case when row_count = 0 then 0 else word_count * ? / row_count end,
           row_count = max(0, row_count - ?) where name = ?`,
        [gone, gone, table],
      );
    },
    mend: async (db) => {
      const there = await db.all<{ name: string }>("select name from sqlite_master where name in (?, ?)", [
        table,
        `${table}_counts`,
      ]);
      if (there.length === 2) return false;
      for (const sql of tablesOf(table)) await db.run(sql);
      await db.run("update word_totals set row_count = 0, word_count = 0 where name = ?", [table]);
      return true;
    },
    drop: async (db) => {
      await db.run(`insert into ${table}(${table}) values ('delete-all')`);
      await db.run("update word_totals set row_count = 0, word_count = 0 where name = ?", [table]);
    },
  };
}

/** As the migration made them. */
function tablesOf(table: string): readonly string[] {
  return [
    `drop table if exists ${table}_counts`,
    `drop table if exists ${table}`,
    `create virtual table ${table} using fts5 (
  text,
  content = '',
  contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
)`,
    `create virtual table ${table}_counts using fts5vocab (${table}, row)`,
  ];
}

/** So that no word is read as query syntax. */
function quoted(word: string): string {
  return `"${word}"`;
}
