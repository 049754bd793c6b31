import { rarity } from "../store/find-words.ts";
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

export interface Scored extends CountedText {
  readonly id: number;
}

export interface Asked {
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
  asked: Asked,
  runs: readonly (readonly Scored[])[],
  weights: WordWeights,
): ReadonlyMap<number, number> {
  const worth = worthOf(asked, weights);
  const scores = new Map<number, number>();
  for (const run of runs) {
    const frequencies = run.map((text) => frequenciesOf(text, asked.average, weights));
    for (const [at, text] of run.entries())
      scores.set(text.id, scoreOf(around(frequencies, at, weights.neighbours), worth, weights));
  }
  return scores;
}

/**
 * Each session's score: all of it that was looked at, as if it were one text. A session that speaks of every word, here and
 * there, is likelier the right one than another whose best line has a few.
 */
export function scoreSessions(
  asked: Asked,
  sessions: ReadonlyMap<string, readonly Scored[]>,
  weights: WordWeights,
): ReadonlyMap<string, number> {
  const worth = worthOf(asked, weights);
  const wholes = [...sessions].map(([name, texts]) => ({ name, whole: joined(texts) }));
  const average = wholes.reduce((sum, { whole }) => sum + whole.length, 0) / (wholes.length || 1);
  return new Map(
    wholes.map(({ name, whole }) => [name, scoreOf(frequenciesOf(whole, average || 1, weights), worth, weights)]),
  );
}

function joined(texts: readonly CountedText[]): CountedText {
  const counts = (texts[0]?.counts ?? []).map(() => 0);
  const lesser = [...counts];
  let length = 0;
  for (const text of texts) {
    length += text.length;
    add(counts, text.counts, 1);
    add(lesser, text.lesser, 1);
  }
  return { length, counts, lesser };
}

function add(sums: number[], numbers: readonly number[], share: number): void {
  for (let at = 0; at < numbers.length; at++) sums[at] = (sums[at] as number) + share * (numbers[at] as number);
}

interface Worth {
  /** Of each word, then of each two that stand together. */
  readonly terms: readonly number[];
  readonly total: number;
}

function worthOf(asked: Asked, { pairs }: WordWeights): Worth {
  const words = asked.words.map((word) => rarity(asked.counts.get(word) ?? 0, asked.rows));
  const together = words.slice(1).map((worth, at) => (pairs * (worth + (words[at] ?? 0))) / 2);
  return { terms: [...words, ...together], total: words.reduce((sum, one) => sum + one, 0) || 1 };
}

/** How often a text has each term, for its length; null where it has none, as most do. */
type Frequencies = readonly number[] | null;

function scoreOf(frequencies: Frequencies, { terms, total }: Worth, { saturation }: WordWeights): number {
  if (frequencies === null) return 0;
  let score = 0;
  for (let term = 0; term < terms.length; term++) {
    const frequency = frequencies[term] as number;
    if (frequency > 0) score += ((terms[term] as number) * frequency * (saturation + 1)) / (frequency + saturation);
  }
  return score / total;
}

function frequenciesOf(text: CountedText, average: number, { lengthShare, lesser }: WordWeights): Frequencies {
  const length = 1 - lengthShare + (lengthShare * text.length) / average;
  let found: number[] | null = null;
  for (let term = 0; term < text.counts.length; term++) {
    const count = (text.counts[term] as number) + lesser * (text.lesser[term] as number);
    if (count > 0) (found ??= text.counts.map(() => 0))[term] = count / length;
  }
  return found;
}

function around(frequencies: readonly Frequencies[], at: number, nearest: number): Frequencies {
  const own = frequencies[at] ?? null;
  if (nearest === 0) return own;
  let sums: number[] | null = null;
  for (let step = -NEIGHBOURS; step <= NEIGHBOURS; step++) {
    const beside = step === 0 ? own : (frequencies[at + step] ?? null);
    if (beside === null) continue;
    sums ??= beside.map(() => 0);
    add(sums, beside, step === 0 ? 1 : nearest / 2 ** (Math.abs(step) - 1));
  }
  return sums;
}
