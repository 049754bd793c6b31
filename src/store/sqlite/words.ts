import type { Db, WordQueryOptions, WeightedWord, WordIndex } from "../engine/db.ts";

/** FTS5 without a copy of the text, which the indexed rows contain already. */
export function sqliteWords(table: "words" | "passage_words"): WordIndex {
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
      const known = commonIn(db, table, (await readTotals(db, table)).rows);
      const unknown = words.filter((word) => !known.has(word));
      const counts = new Map(words.filter((word) => known.has(word)).map((word) => [word, known.get(word) ?? 0]));
      if (unknown.length === 0) return counts;
      const found = await db.all<{ word: string; rows: number }>(
        `select term as word, doc as rows from ${table}_counts where term in (select value from json_each(?))`,
        [JSON.stringify(unknown)],
      );
      for (const { word, rows } of found) {
        counts.set(word, rows);
        if (rows > COMMON) known.set(word, rows);
      }
      return counts;
    },
    totals: (db) => readTotals(db, table),
    any: (db, words, options) => rowsWithAny(db, table, words, options),
    all: (db, words, { limit, within }) =>
      listMatches(db, table, {
        match: words.map(quoted).join(" AND "),
        within,
        newest: limit,
      }),
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
      for (const sql of listIndexTables(table)) await db.run(sql);
      await db.run("update word_totals set row_count = 0, word_count = 0 where name = ?", [table]);
      return true;
    },
    drop: async (db) => {
      await db.run(`insert into ${table}(${table}) values ('delete-all')`);
      await db.run("update word_totals set row_count = 0, word_count = 0 where name = ?", [table]);
    },
  };
}

async function readTotals(db: Db, table: string): Promise<{ readonly rows: number; readonly words: number }> {
  const row = await db.get<{ rows: number; words: number }>(
    "select row_count as rows, word_count as words from word_totals where name = ?",
    [table],
  );
  return row ?? { rows: 0, words: 0 };
}

/**
 * Ranks rows by the sum of the weights of their words. FTS5's own rank looks up every row's length, which
 * takes eight times as long; the caller ranks the best again by all scores.
 */
async function rowsWithAny(
  db: Db,
  table: string,
  words: readonly WeightedWord[],
  { limit, within }: WordQueryOptions,
): Promise<readonly number[]> {
  const sums = new Map<number, number>();
  for (const { word, weight } of words)
    for (const id of await listMatches(db, table, { match: quoted(word), within }))
      sums.set(id, (sums.get(id) ?? 0) + weight);
  return [...sums]
    .toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, limit)
    .map(([id]) => id);
}

/** Returns one row: returning single ids costs more than finding them. */
async function listMatches(
  db: Db,
  table: string,
  {
    match,
    within,
    newest,
  }: { readonly match: string; readonly within: WordQueryOptions["within"]; readonly newest?: number },
): Promise<readonly number[]> {
  const narrowed = within ? `and ${within.sql.replaceAll(":id", `${table}.rowid`)}` : "";
  const row = await db.get<{ ids: string }>(
    `select json_group_array(id) as ids from (
       select rowid as id from ${table} where ${table} match ? ${narrowed} ${newest === undefined ? "" : "order by rowid desc limit ?"}
     )`,
    [match, ...(within?.values ?? []), ...(newest === undefined ? [] : [newest])],
  );
  return JSON.parse(row?.ids ?? "[]") as number[];
}

/** FTS5 counts a word's rows by scanning them all, so the counts of words in more rows than this are cached. */
const COMMON = 1_000;
/** Percentage of rows that may change before common words are counted again. */
const STALE = 1;

/** Counts of common words, cached in long-running processes: a few rows more or less make no difference. */
function commonIn(db: Db, table: string, rows: number): Map<string, number> {
  let tables = commonWords.get(db);
  if (!tables) commonWords.set(db, (tables = new Map()));
  let kept = tables.get(table);
  if (!kept || Math.abs(rows - kept.rows) * 100 > kept.rows * STALE)
    tables.set(table, (kept = { rows, counts: new Map() }));
  return kept.counts;
}

const commonWords = new WeakMap<Db, Map<string, { readonly rows: number; readonly counts: Map<string, number> }>>();

/** As the migration creates them. */
function listIndexTables(table: string): readonly string[] {
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

/** Prevents a word from being read as query syntax. */
function quoted(word: string): string {
  return `"${word}"`;
}
