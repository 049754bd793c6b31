import type { FuseWeights } from "./fuse.ts";
import type { PassageWeights } from "./rank-passages.ts";
import type { WordWeights } from "./score-words.ts";

export interface EventWeights {
  readonly words: WordWeights;
  /** Weight of the session's score, added to each of its lines. */
  readonly session: number;
  readonly fuse: FuseWeights;
}

/**
 * Chosen on data by `oldhand bench search`; the result reported for a conversation was chosen without it
 * (docs/search.md). The weights do not depend on the query.
 */
export const eventWeights: EventWeights = {
  words: { saturation: 1.2, lengthShare: 0.6, neighbours: 0.4, pairs: 0.5, lesser: 0.3 },
  session: 0.2,
  fuse: { meaning: 0.8, importance: 0, confidence: 0, recency: 0, recencyDays: 30, again: 0.97 },
};

/** A passage has no neighbours and is short, so word positions tell nothing. */
export const passageWordWeights: WordWeights = {
  saturation: 1.2,
  lengthShare: 0.6,
  neighbours: 0,
  pairs: 0,
  lesser: 1,
};

/**
 * Passages have no neighbours and no groups; metadata decides between equals. Chosen by `oldhand bench search
 * --pairs bench/recall-pairs`.
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
