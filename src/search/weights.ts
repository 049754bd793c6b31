import type { FuseWeights } from "./fuse.ts";
import type { PassageWeights } from "./rank-passages.ts";
import type { WordWeights } from "./score-words.ts";

/**
 * Chosen on data by `oldhand bench search`, each half of the questions judging what the other half chose (docs/search.md).
 * One set for everybody: nothing here depends on a question.
 */
export const wordWeights: WordWeights = { saturation: 1.2, lengthShare: 0.6, neighbours: [0.4, 0.2, 0.1] };

export interface EventWeights {
  readonly words: WordWeights;
  readonly fuse: FuseWeights;
  /** What the words of an unnamed agent's answer count: it is long, and says much that was not asked. */
  readonly answer: number;
}

export const eventWeights: EventWeights = {
  words: wordWeights,
  fuse: { meaning: 0.8, importance: 0, confidence: 0, recency: 0, recencyDays: 30, again: 0.97 },
  answer: 0.5,
};

/**
 * Passages have no neighbours and no groups; what is known of them decides between equals. Chosen by
 * `oldhand bench search --pairs bench/recall-pairs`.
 */
export const passageWeights: PassageWeights = {
  meaning: 1,
  crowding: 0.55,
  words: 2,
  wordsFrom: 0.4,
  wordsSure: 0.5,
  importance: 0.06,
  confidence: 0.04,
  recency: 0.02,
  recencyDays: 30,
  again: 1,
};
