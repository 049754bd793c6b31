/**
 * How far a memory stands out: how much nearer this prompt is to it than what is usually asked in this workspace, in
 * deviations. A memory that is near to everything is near to this prompt by chance.
 */
export function computeDeviations(near: number, toPast: readonly number[]): number {
  return (near - meanOf(toPast)) / deviationOf(toPast);
}

/** What speaks for and against showing a memory with a prompt. */
interface Signs {
  /** How far the prompt's words ask for it, from `wordFits`. */
  readonly words: number;
  /** How far it stands out by meaning; without a model, null. */
  readonly out: number | null;
  /** From `askedHere`: how far the prompt asks for what only this project knows; null where no model says. */
  readonly here: number | null;
  /** From `askedAnywhere`: whether the prompt's words are those of any project, and whether the memory's are too. */
  readonly anywhere: boolean;
  readonly ofAnywhere: boolean;
  /** How many prompts came before: where they are few, nobody knows yet which words are everyday words here. */
  readonly past: number;
}

/** How much a prompt needs a memory: from 1 on it is shown. Neither words nor meaning are enough alone unless very clear. */
export function scoreNeed({ words, out: deviations, here, anywhere, ofAnywhere, past }: Signs): number {
  // How commits are written here is asked for by `write a commit message`, though anybody may ask that.
  const counts = anywhere && ofAnywhere ? 0.5 : 1;
  if (deviations === null) {
    const enough = ENOUGH_WORDS * (1 + STRICTER * Math.max(0, 1 - past / ACQUAINTED));
    return (words * (anywhere ? 1 - WORDS_ANYWHERE * counts : 1)) / enough;
  }
  const asked = Math.min(MOST_HERE, Math.max(LEAST_HERE, (here ?? 0) - (anywhere ? ANYWHERE : 0)));
  const known = words * Math.max(LEAST_KNOWN, (past + 10) / (past + 30));
  const clear = Math.min(known, SURE_WORDS) + WEIGHT * Math.max(0, deviations);
  return (clear + (asked < 0 ? asked * counts : asked)) / ENOUGH;
}

/*
 * Chosen on bench/memory-recall and on prompts of real developers, so that at most 5 of 100 prompts that need nothing are
 * shown something: what nobody needs costs more trust than what is missed.
 */
const ENOUGH_WORDS = 0.93;
/** A new workspace asks for half as much again; after so many prompts it is known. */
const STRICTER = 0.5;
const ACQUAINTED = 40;
const LEAST_KNOWN = 0.45;
const WORDS_ANYWHERE = 0.5;
const SURE_WORDS = 1.5;
const WEIGHT = 0.5;
const ENOUGH = 2.2;
const ANYWHERE = 0.5;
/** That a prompt is about this project says little for one memory; that it is not says much against all. */
const MOST_HERE = 0.3;
const LEAST_HERE = -3;

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
