import type { Db, WordQueryOptions, WordIndex } from "../engine/db.ts";

/** Rows ranked for one query: about what a database ranks in a few milliseconds. */
export const MAX_RANKED_ROWS = 3_000;

export interface WordMatches {
  /** Most likely first, as far as the index can tell. */
  readonly ids: readonly number[];
  /** True if no word was rare enough to select by: these are the newest, and there are more. */
  readonly common: boolean;
  /** The number of rows with each query word. */
  readonly counts: ReadonlyMap<string, number>;
  readonly rows: number;
  /** Average number of words in a row. */
  readonly average: number;
}

/**
 * Candidate rows for a query. Its rare words select them, as many words as the budget allows: a common word
 * would select almost everything and says little. If all are common: rows with the two rarest words, then
 * with the rarest, newest first.
 */
export async function findRowsByWords(
  db: Db,
  index: WordIndex,
  queryWords: readonly string[],
  options: WordQueryOptions,
): Promise<WordMatches> {
  const counts = await index.counts(db, queryWords);
  const { rows, words } = await index.totals(db);
  const found = { counts, rows, average: rows === 0 ? 1 : words / rows, common: false };
  const known = queryWords
    .filter((word) => counts.has(word))
    .toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  const [rarest] = known;
  if (rarest === undefined) return { ...found, ids: [] };
  if ((counts.get(rarest) ?? 0) > MAX_RANKED_ROWS)
    return { ...found, common: true, ids: await findRowsByCommonWords(db, index, known, options) };
  let ranked = 0;
  const chosen = known.filter((word) => (ranked += counts.get(word) ?? 0) <= MAX_RANKED_ROWS);
  const weighed = chosen.map((word) => ({ word, weight: computeRarity(counts.get(word) ?? 0, rows) }));
  return { ...found, ids: await index.any(db, weighed, options) };
}

async function findRowsByCommonWords(
  db: Db,
  index: WordIndex,
  known: readonly string[],
  options: WordQueryOptions,
): Promise<readonly number[]> {
  const ids = new Set<number>();
  for (let take = Math.min(known.length, 2); take > 0 && ids.size < options.limit; take--)
    for (const id of await index.all(db, known.slice(0, take), options)) ids.add(id);
  return [...ids].slice(0, options.limit);
}

/** The worth of a word: the rarer, the higher. */
export function computeRarity(count: number, rows: number): number {
  return Math.log(1 + (Math.max(rows, count) - count + 0.5) / (count + 0.5));
}
