/** The scores of a candidate. Words and meaning depend on the query; the others do not. */
export interface SearchCandidate {
  readonly id: number;
  /** From `scoreWords`. */
  readonly words: number;
  /** The cosine; null without a vector, which counts as the average. */
  readonly meaning: number | null;
  /** The weighted contribution of its session. */
  readonly session?: number | undefined;
  /** From 0 to 1, if it has one. */
  readonly importance?: number | undefined;
  readonly confidence?: number | undefined;
  readonly ageDays?: number | undefined;
  /** The group it belongs to: a session's second hit counts less than another session's first. */
  readonly group?: string | undefined;
}

export interface FuseWeights {
  readonly meaning: number;
  readonly importance: number;
  readonly confidence: number;
  readonly recency: number;
  /** Half-life of recency, in days. */
  readonly recencyDays: number;
  /** Factor for each further hit of a group. */
  readonly again: number;
}

/** The distribution of cosines to the query over all vectors. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

export interface RankedItem {
  readonly id: number;
  readonly score: number;
}

/**
 * Ranks candidates by all scores, best first. Uses weighted sums, not ranks: ranks would let a vague
 * similarity in meaning displace an exact word.
 */
export function fuse(
  candidates: readonly SearchCandidate[],
  spread: Spread | null,
  weights: FuseWeights,
): RankedItem[] {
  const trust = spread === null ? 0 : computeVectorTrust(candidates, spread) * computeScale(spread);
  const meaningOf = (one: SearchCandidate) => trust * weights.meaning * Math.max(0, one.meaning ?? spread?.mean ?? 0);
  const ranked = candidates
    .map((one) => ({ id: one.id, group: one.group, score: computeScore(one, one.words + meaningOf(one), weights) }))
    .filter((one) => one.score > 0)
    .toSorted((a, b) => b.score - a.score || b.id - a.id);
  return spreadGroups(ranked, weights.again);
}

function computeScore(one: SearchCandidate, relevance: number, weights: FuseWeights): number {
  return relevance <= 0 ? 0 : relevance + (one.session ?? 0) + computePrior(one, weights);
}

/** The score that does not depend on the query. */
export function computePrior(one: SearchCandidate, weights: FuseWeights): number {
  return (
    weights.importance * (one.importance ?? 0) +
    weights.confidence * (one.confidence ?? 0) +
    weights.recency * (one.ageDays === undefined ? 0 : 0.5 ** (one.ageDays / weights.recencyDays))
  );
}

/**
 * How much the vectors count, from 0 to 1: as far as they agree with the best word hits. If the best word
 * hits are no nearer than other texts, the vectors know nothing about this query and would only add noise.
 * Without word hits they count fully.
 */
export function computeVectorTrust(candidates: readonly SearchCandidate[], spread: Spread): number {
  const sure = candidates
    .filter((one) => one.words > 0 && one.meaning !== null)
    .toSorted((a, b) => b.words - a.words)
    .slice(0, SURE);
  if (sure.length === 0) return 1;
  if (spread.deviation === 0) return 0;
  const mean = sure.reduce((sum, one) => sum + (one.meaning ?? 0), 0) / sure.length;
  // The mean of n values has a deviation of 1/√n; only what is clearly beyond chance counts.
  const beyond = ((mean - spread.mean) / spread.deviation) * Math.sqrt(sure.length);
  return Math.min(1, Math.max(0, (beyond - NO_TRUST) / (FULL_TRUST - NO_TRUST)));
}

/** A model with a wider range of cosines does not thereby carry more information. */
function computeScale({ deviation }: Spread): number {
  return Math.min(1, USUAL_DEVIATION / Math.max(deviation, USUAL_DEVIATION));
}

const USUAL_DEVIATION = 0.12;
const SURE = 10;
const NO_TRUST = 1.5;
const FULL_TRUST = 3.5;

/** Best first: each hit lowers the score of later ones in its group. */
function spreadGroups(
  ranked: readonly (RankedItem & { readonly group?: string | undefined })[],
  again: number,
): RankedItem[] {
  if (again === 1) return ranked.map(({ id, score }) => ({ id, score }));
  const seen = new Map<string, number>();
  return ranked
    .map((one) => {
      if (one.group === undefined) return { id: one.id, score: one.score };
      const before = seen.get(one.group) ?? 0;
      seen.set(one.group, before + 1);
      return { id: one.id, score: one.score * again ** before };
    })
    .toSorted((a, b) => b.score - a.score || b.id - a.id);
}
