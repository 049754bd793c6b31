import { computeRarity } from "../store/state/find-rows-by-words.ts";
import type { CountedText } from "./counted-texts.ts";

/** Weights of words; chosen on data by `oldhand bench search` (docs/search.md). */
export interface WordWeights {
  /** How soon repetitions of a word add nothing. */
  readonly saturation: number;
  /** How much less the words of a long text count, from 0 to 1. */
  readonly lengthShare: number;
  /** Weight of the nearest neighbour's words; each further one counts half. */
  readonly neighbours: number;
  /** Extra weight of two query words that are close together. */
  readonly pairs: number;
  /** Weight of words in the less significant part of a text. */
  readonly lesser: number;
}

/** Number of neighbours considered on each side. */
export const NEIGHBOURS = 3;

export interface CountedRow extends CountedText {
  readonly id: number;
}

export interface QueryTerms {
  readonly words: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  readonly rows: number;
  readonly average: number;
}

/**
 * Each text's score for the query words, from 0 to about 2: BM25 over the text and its neighbours, divided by
 * the worth of all words. A neighbour's word counts in part, so that an answer is found by its question.
 * `runs` are neighbours in order.
 */
export function scoreWords(
  terms: QueryTerms,
  runs: readonly (readonly CountedRow[])[],
  weights: WordWeights,
): ReadonlyMap<number, number> {
  const worth = computeWorth(terms, weights);
  const scores = new Map<number, number>();
  for (const run of runs) {
    const found = run.map((text) => computeFrequencies(text, terms.average, weights));
    for (const [at, text] of run.entries())
      scores.set(text.id, computeScore(addNeighbours(found, at, weights.neighbours), worth, weights));
  }
  return scores;
}

/**
 * Each session's score, as if its candidates were one text. A session that mentions every word somewhere is
 * more likely the right one than one whose best line has a few.
 */
export function scoreSessions(
  terms: QueryTerms,
  sessions: ReadonlyMap<string, readonly CountedRow[]>,
  weights: WordWeights,
): ReadonlyMap<string, number> {
  const worth = computeWorth(terms, weights);
  const wholes = [...sessions].map(([name, texts]) => ({ name, whole: mergeTexts(texts) }));
  const average = wholes.reduce((sum, { whole }) => sum + whole.length, 0) / (wholes.length || 1);
  return new Map(
    wholes.map(({ name, whole }) => [
      name,
      computeScore(addNeighbours([computeFrequencies(whole, average || 1, weights)], 0, 0), worth, weights),
    ]),
  );
}

function mergeTexts(texts: readonly CountedText[]): CountedText {
  const counts = (texts[0]?.counts ?? []).map(() => 0);
  const lesser = [...counts];
  let length = 0;
  for (const text of texts) {
    length += text.length;
    add(counts, text.counts);
    add(lesser, text.lesser);
  }
  return { length, counts, lesser };
}

function add(sums: number[], numbers: readonly number[]): void {
  for (let at = 0; at < numbers.length; at++) sums[at] = (sums[at] as number) + (numbers[at] as number);
}

interface TermWorth {
  /** The worth of each word, then of each pair. */
  readonly terms: readonly number[];
  readonly total: number;
}

function computeWorth(query: QueryTerms, { pairs }: WordWeights): TermWorth {
  const words = query.words.map((word) => computeRarity(query.counts.get(word) ?? 0, query.rows));
  const together = words.slice(1).map((worth, at) => (pairs * (worth + (words[at] ?? 0))) / 2);
  return { terms: [...words, ...together], total: words.reduce((sum, one) => sum + one, 0) || 1 };
}

/** How often a text has a term, relative to its length. Sparse, because most texts have few of the terms. */
interface Frequency {
  readonly term: number;
  readonly often: number;
}

function computeFrequencies(
  text: CountedText,
  average: number,
  { lengthShare, lesser }: WordWeights,
): readonly Frequency[] {
  const length = 1 - lengthShare + (lengthShare * text.length) / average;
  const found: Frequency[] = [];
  for (let term = 0; term < text.counts.length; term++) {
    const count = (text.counts[term] as number) + lesser * (text.lesser[term] as number);
    if (count > 0) found.push({ term, often: count / length });
  }
  return found;
}

/** Frequencies including the neighbours' contribution, by term. */
function addNeighbours(
  run: readonly (readonly Frequency[])[],
  at: number,
  nearest: number,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  const reach = nearest === 0 ? 0 : NEIGHBOURS;
  for (let step = -reach; step <= reach; step++)
    for (const { term, often } of run[at + step] ?? [])
      sums.set(term, (sums.get(term) ?? 0) + (step === 0 ? often : (often * nearest) / 2 ** (Math.abs(step) - 1)));
  return sums;
}

function computeScore(
  frequencies: ReadonlyMap<number, number>,
  { terms, total }: TermWorth,
  { saturation }: WordWeights,
): number {
  let score = 0;
  for (const [term, often] of frequencies)
    score += ((terms[term] ?? 0) * often * (saturation + 1)) / (often + saturation);
  return score / total;
}
