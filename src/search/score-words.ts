import { rarity } from "../store/find-words.ts";
import type { CountedText } from "./counted-texts.ts";

/** How the words of texts are judged; chosen by `oldhand bench search` on data (docs/search.md). */
export interface WordWeights {
  /** How soon more of the same word adds nothing. */
  readonly saturation: number;
  /** How much a long text's words count less, from 0 to 1. */
  readonly lengthShare: number;
  /** What a neighbour's words count, by its distance. */
  readonly neighbours: readonly number[];
}

export interface Scored extends CountedText {
  readonly id: number;
  /** What this text's words count: an agent's long answer less than what was asked of it. */
  readonly weight: number;
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
  const worth = asked.words.map((word) => rarity(asked.counts.get(word) ?? 0, asked.rows));
  const total = worth.reduce((sum, one) => sum + one, 0) || 1;
  const scores = new Map<number, number>();
  for (const run of runs) {
    const frequencies = run.map((text) => frequenciesOf(text, asked.average, weights));
    for (const [at, text] of run.entries()) {
      let score = 0;
      for (const [word, value] of worth.entries()) {
        const frequency = around(frequencies, at, word, weights.neighbours);
        score += (value * frequency * (weights.saturation + 1)) / (frequency + weights.saturation);
      }
      scores.set(text.id, score / total);
    }
  }
  return scores;
}

function frequenciesOf(text: Scored, average: number, { lengthShare }: WordWeights): readonly number[] {
  const length = 1 - lengthShare + (lengthShare * text.length) / average;
  return text.counts.map((count) => (count * text.weight) / length);
}

function around(
  frequencies: readonly (readonly number[])[],
  at: number,
  word: number,
  neighbours: readonly number[],
): number {
  let sum = frequencies[at]?.[word] ?? 0;
  for (const [step, share] of neighbours.entries())
    sum += share * ((frequencies[at - step - 1]?.[word] ?? 0) + (frequencies[at + step + 1]?.[word] ?? 0));
  return sum;
}
