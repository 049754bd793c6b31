/** What a prompt and a memory have to do with each other by meaning. */
export interface Meaning {
  /** The cosine. */
  readonly near: number;
  /** From `standsOut`. */
  readonly out: number;
}

/**
 * How far a memory stands out: how much nearer this prompt is to it than what is usually asked in this workspace, in
 * deviations. A memory that is near to everything is near to this prompt by chance.
 */
export function standsOut(near: number, toPast: readonly number[]): number {
  return (near - meanOf(toPast)) / deviationOf(toPast);
}

/**
 * Whether a memory is needed, where both are known: how far the prompt's words ask for it (from `wordFits`), and how far it
 * stands out by meaning. A rare word needs a little support by meaning; meaning alone must be clear.
 */
export function isNeeded(words: number, meaning: Meaning): boolean {
  if (meaning.near < NEAR && words < SURE_WORDS) return false;
  return Math.min(words, SURE_WORDS) + WEIGHT * Math.max(0, meaning.out - USUAL_OUT) >= ENOUGH;
}

/* Chosen like those of word-fit.ts. */
const NEAR = 0.25;
const SURE_WORDS = 1.5;
const WEIGHT = 0.8;
const USUAL_OUT = 2.5;
const ENOUGH = 1.4;

/** Where little was asked, as much as is usual between a prompt and a memory. */
const USUAL = { mean: 0.1, deviation: 0.08, weight: 10 };
const LEAST_DEVIATION = 0.05;

function meanOf(all: readonly number[]): number {
  const sum = all.reduce((total, one) => total + one, USUAL.mean * USUAL.weight);
  return sum / (all.length + USUAL.weight);
}

function deviationOf(all: readonly number[]): number {
  const mean = all.reduce((total, one) => total + one, 0) / Math.max(1, all.length);
  const squares = all.reduce((total, one) => total + (one - mean) ** 2, USUAL.deviation ** 2 * USUAL.weight);
  return Math.max(LEAST_DEVIATION, Math.sqrt(squares / (all.length + USUAL.weight)));
}
