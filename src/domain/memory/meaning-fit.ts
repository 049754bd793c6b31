/**
 * How far a memory stands out: how much nearer this prompt is to it than what is usually asked in this workspace, in
 * deviations. A memory that is near to everything is near to this prompt by chance.
 */
export function standsOut(near: number, toPast: readonly number[]): number {
  return (near - meanOf(toPast)) / deviationOf(toPast);
}

/**
 * How much a prompt needs a memory: from 1 on it is shown. `words` is how far its words ask for it (from `wordFits`), `out`
 * how far it stands out by meaning; without a model, null. Neither is enough alone unless it is very clear.
 */
export function needOf(words: number, out: number | null): number {
  if (out === null) return words / ENOUGH_WORDS;
  return (Math.min(words, SURE_WORDS) + WEIGHT * Math.max(0, out)) / ENOUGH;
}

/*
 * Chosen like those of word-fit.ts, so that at most 5 of 100 prompts that need nothing are shown something: what nobody
 * needs costs more trust than what is missed.
 */
const ENOUGH_WORDS = 0.93;
const SURE_WORDS = 1.5;
const WEIGHT = 0.5;
const ENOUGH = 2.65;

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
