/** What speaks for a candidate. Words and meaning are judged here; the rest is known of it. */
export interface SearchCandidate {
  readonly id: number;
  /** From `scoreWords`. */
  readonly words: number;
  /** The cosine; without a vector, it counts as near as the average. */
  readonly meaning: number | null;
  /** What its session adds, already weighed. */
  readonly session?: number | undefined;
  /** From 0 to 1, where it has one. */
  readonly importance?: number | undefined;
  readonly confidence?: number | undefined;
  readonly ageDays?: number | undefined;
  /** What it belongs to: a session's second hit is worth less than another session's first. */
  readonly group?: string | undefined;
}

export interface FuseWeights {
  readonly meaning: number;
  readonly importance: number;
  readonly confidence: number;
  readonly recency: number;
  /** Days in which recency halves. */
  readonly recencyDays: number;
  /** What is left of a group's each further hit. */
  readonly again: number;
}

/** How near anything is to the question, found or not. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

export interface RankedItem {
  readonly id: number;
  readonly score: number;
}

/**
 * One order out of everything known, best first. Weighed sums, not ranks: ranks would let a vague resemblance in meaning
 * displace an exact word.
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

/** What is known of it, besides how well it fits. */
export function computePrior(one: SearchCandidate, weights: FuseWeights): number {
  return (
    weights.importance * (one.importance ?? 0) +
    weights.confidence * (one.confidence ?? 0) +
    weights.recency * (one.ageDays === undefined ? 0 : 0.5 ** (one.ageDays / weights.recencyDays))
  );
}

/**
 * How far the vectors may speak, from 0 to 1: as far as they agree with the words where those are sure. Vectors for which
 * the best word hits are no nearer than anything else know nothing of this question, and would only blur what the words found.
 * Without word hits there is nothing to blur.
 */
export function computeVectorTrust(candidates: readonly SearchCandidate[], spread: Spread): number {
  const sure = candidates
    .filter((one) => one.words > 0 && one.meaning !== null)
    .toSorted((a, b) => b.words - a.words)
    .slice(0, SURE);
  if (sure.length === 0) return 1;
  if (spread.deviation === 0) return 0;
  const mean = sure.reduce((sum, one) => sum + (one.meaning ?? 0), 0) / sure.length;
  // A mean over n strays by 1/√n; only what is clearly beyond chance counts.
  const beyond = ((mean - spread.mean) / spread.deviation) * Math.sqrt(sure.length);
  return Math.min(1, Math.max(0, (beyond - NO_TRUST) / (FULL_TRUST - NO_TRUST)));
}

/** A model whose cosines range wider than a good one's does not thereby say more. */
function computeScale({ deviation }: Spread): number {
  return Math.min(1, USUAL_DEVIATION / Math.max(deviation, USUAL_DEVIATION));
}

const USUAL_DEVIATION = 0.12;
const SURE = 10;
const NO_TRUST = 1.5;
const FULL_TRUST = 3.5;

/** Greedy, best first: each hit lowers the rest of its group. */
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
