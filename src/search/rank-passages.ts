import {
  type SearchCandidate,
  fuse,
  type FuseWeights,
  computePrior,
  type RankedItem,
  type Spread,
  computeVectorTrust,
} from "./fuse.ts";

/** What speaks for a passage; how crowded it is where it stands is known of those that are near the question. */
export interface PassageCandidate extends SearchCandidate {
  /** How near its own nearest are: one that is near to everything is near to the question by chance. */
  readonly crowding?: number | undefined;
}

export interface PassageWeights extends FuseWeights {
  /** What is taken off for crowding. */
  readonly crowding: number;
  /** What the question's words count beside meaning, from `wordsFrom` on: below it they are shared by chance. */
  readonly words: number;
  readonly wordsFrom: number;
  /** From here on words alone are enough to be an answer. */
  readonly wordsSure: number;
}

/** Why it is among the answers: `sure` is near enough to be offered to somebody who did not ask. */
export type PassageFit = "words" | "near" | "sure";

export interface RankedPassage extends RankedItem {
  readonly fit: PassageFit;
}

export interface RankPassagesOptions {
  readonly spread: Spread | null;
  readonly related: number | null;
  /** One shared word is enough also where meaning is known: whoever asks chooses among them. */
  readonly anyWord?: boolean | undefined;
}

/**
 * Passages that answer, best first; none where none does. Without meaning by words, where one shared word is enough. With
 * it, a question in other words must find what it means, and chance words must not stand in its way.
 */
export function rankPassages(
  candidates: readonly PassageCandidate[],
  { spread, related, anyWord = false }: RankPassagesOptions,
  weights: PassageWeights,
): RankedPassage[] {
  const sureByWords = candidates.filter((one) => one.words >= weights.wordsSure);
  const trust = spread === null ? 0 : computeVectorTrust(sureByWords, spread);
  if (spread === null || trust === 0) return fuse(candidates, null, weights).map((one) => ({ ...one, fit: "words" }));
  const enough = anyWord ? Number.MIN_VALUE : weights.wordsSure;
  const fits = makeFitTest(candidates, computeThresholds(spread, related), enough);
  const mostCrowded = Math.max(0, ...candidates.map((one) => one.crowding ?? 0));
  return candidates
    .flatMap((one) => {
      const fit = fits(one);
      if (fit === null) return [];
      const near = Math.max(0, one.meaning ?? spread.mean) - weights.crowding * (one.crowding ?? mostCrowded);
      const words = trust * weights.words * Math.max(0, one.words - weights.wordsFrom) + (1 - trust) * one.words;
      return [{ id: one.id, fit, score: trust * near + words + computePrior(one, weights) }];
    })
    .toSorted((a, b) => b.score - a.score || b.id - a.id);
}

interface Thresholds {
  readonly sure: number;
  /** Something must be so near, or nothing is an answer. */
  readonly related: number;
  /** Beside it, what is less near may be the better answer. */
  readonly beside: number;
}

/** Of a model whose scale nobody measured, nothing is too far to be an answer to who asked. */
function computeThresholds({ mean, deviation }: Spread, related: number | null): Thresholds {
  if (related !== null) return { sure: related * 1.4, related, beside: related * 0.65 };
  return { sure: mean + 4 * deviation, related: Number.NEGATIVE_INFINITY, beside: Number.NEGATIVE_INFINITY };
}

function makeFitTest(
  candidates: readonly PassageCandidate[],
  bars: Thresholds,
  wordsEnough: number,
): (one: PassageCandidate) => PassageFit | null {
  const isAnswered = candidates.some((one) => one.meaning !== null && one.meaning >= bars.related);
  return (one) => {
    if (one.meaning !== null && one.meaning >= bars.sure) return "sure";
    if (one.words >= wordsEnough) return "words";
    // One that has no vector yet is judged as if nobody had.
    if (one.meaning === null) return one.words > 0 ? "words" : null;
    return isAnswered && one.meaning >= bars.beside ? "near" : null;
  };
}
