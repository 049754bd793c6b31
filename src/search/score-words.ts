import { computeRarity } from "../store/state/find-rows-by-words.ts";
import type { CountedText } from "./counted-texts.ts";

/** How the words of texts are judged; chosen by `oldhand bench search` on data (docs/search.md). */
export interface WordWeights {
  /** How soon more of the same word adds nothing. */
  readonly saturation: number;
  /** How much a long text's words count less, from 0 to 1. */
  readonly lengthShare: number;
  /** What the nearest neighbour's words count; each further one counts half of the one before. */
  readonly neighbours: number;
  /** What two words of the question that stand together are worth, beside what each is worth. */
  readonly pairs: number;
  /** What the words count in the part of a text that tells less. */
  readonly lesser: number;
}

/** As many neighbours before and after are heard. */
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
 * Each text's score for the asked words, from 0 to about 2: BM25, over the text and its neighbours at once, divided by
 * what all the words are worth. A word said next door counts as part of a word said here, so that an answer is found by its question.
 * `runs` are neighbours in their order.
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
 * Each session's score: all of it that was looked at, as if it were one text. A session that speaks of every word, here and
 * there, is likelier the right one than another whose best line has a few.
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
  /** Of each word, then of each two that stand together. */
  readonly terms: readonly number[];
  readonly total: number;
}

function computeWorth(query: QueryTerms, { pairs }: WordWeights): TermWorth {
  const words = query.words.map((word) => computeRarity(query.counts.get(word) ?? 0, query.rows));
  const together = words.slice(1).map((worth, at) => (pairs * (worth + (words[at] ?? 0))) / 2);
  return { terms: [...words, ...together], total: words.reduce((sum, one) => sum + one, 0) || 1 };
}

/** Which terms a text has, and how often for its length; most have none, and others few of them. */
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

/** The same with what is beside it, by term. */
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
