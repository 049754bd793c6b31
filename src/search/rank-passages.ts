import {
  type SearchCandidate,
  fuse,
  type FuseWeights,
  computePrior,
  type RankedItem,
  type Spread,
  computeVectorTrust,
} from "./fuse.ts";

/** The scores of a passage; `crowding` is known only for those nearest to the query. */
export interface PassageCandidate extends SearchCandidate {
  /** How near its own nearest neighbours are: a passage near to everything is near to the query by chance. */
  readonly crowding?: number | undefined;
}

export interface PassageWeights extends FuseWeights {
  /** Weight of the deduction for crowding. */
  readonly crowding: number;
  /** Weight of words next to meaning. Word scores below `wordsFrom` are chance. */
  readonly words: number;
  readonly wordsFrom: number;
  /** From this score on, words alone are enough. */
  readonly wordsSure: number;
}

/** Why it is a hit: `sure` is near enough to be shown without a request. */
export type PassageFit = "words" | "near" | "sure";

export interface RankedPassage extends RankedItem {
  readonly fit: PassageFit;
}

export interface RankPassagesOptions {
  readonly spread: Spread | null;
  readonly related: number | null;
  /** One shared word is enough even if meaning is known; the caller chooses among the hits. */
  readonly anyWord?: boolean | undefined;
}

/**
 * The matching passages, best first; empty if none matches. Without vectors one shared word is enough. With
 * vectors, a query in other words must find what it means, and chance words must not interfere.
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
  /** At least one passage must be this near, or there is no result. */
  readonly related: number;
  /** If one is, passages down to this cosine are results too. */
  readonly beside: number;
}

/** For a model with an unknown scale, nothing is too far for an explicit query. */
function computeThresholds({ mean, deviation }: Spread, related: number | null): Thresholds {
  if (related !== null) return { sure: related * 1.4, related, beside: related * 0.65 };
  return { sure: mean + 4 * deviation, related: Number.NEGATIVE_INFINITY, beside: Number.NEGATIVE_INFINITY };
}

function makeFitTest(
  candidates: readonly PassageCandidate[],
  bars: Thresholds,
  wordsEnough: number,
): (one: PassageCandidate) => PassageFit | null {
  const hasRelated = candidates.some((one) => one.meaning !== null && one.meaning >= bars.related);
  return (one) => {
    if (one.meaning !== null && one.meaning >= bars.sure) return "sure";
    if (one.words >= wordsEnough) return "words";
    // A passage without a vector is judged by words only.
    if (one.meaning === null) return one.words > 0 ? "words" : null;
    return hasRelated && one.meaning >= bars.beside ? "near" : null;
  };
}
