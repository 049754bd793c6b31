/**
 * How much nearer this prompt is to a memory than past prompts of the workspace, in standard deviations. A memory that
 * is near to everything is near to this prompt by chance.
 */
export function computeDeviations(near: number, toPast: readonly number[]): number {
  return (near - meanOf(toPast)) / deviationOf(toPast);
}

/** The evidence for and against showing a memory with a prompt. */
interface Signs {
  /** How well the words of the prompt fit, from `scoreWordFits`. */
  readonly words: number;
  /** Deviations from `computeDeviations`; null without a model. */
  readonly out: number | null;
  /** From `scoreLocality`: above 0 if the prompt asks for what only this project knows; null without a model. */
  readonly here: number | null;
  /** From `isGenericRequest`: whether the prompt is typical of any project, and whether the memory is too. */
  readonly anywhere: boolean;
  readonly ofAnywhere: boolean;
  /** The number of past prompts. With few, the everyday words of this workspace are not known yet. */
  readonly past: number;
}

/** How much a prompt needs a memory; it is shown from 1 on. Words or meaning alone suffice only if very clear. */
export function scoreNeed({ words, out: deviations, here, anywhere, ofAnywhere, past }: Signs): number {
  // `write a commit message` needs the memory of how commits are written here, although it could be asked anywhere.
  const counts = anywhere && ofAnywhere ? 0.5 : 1;
  if (deviations === null) {
    const enough = ENOUGH_WORDS * (1 + STRICTER * Math.max(0, 1 - past / ACQUAINTED));
    return (words * (anywhere ? 1 - WORDS_ANYWHERE * counts : 1)) / enough;
  }
  const locality = Math.min(MOST_HERE, Math.max(LEAST_HERE, (here ?? 0) - (anywhere ? ANYWHERE : 0)));
  const known = WORDS_WEIGHT * words * Math.max(LEAST_KNOWN, (past + 10) / (past + 30));
  const clear = Math.min(known, SURE_WORDS) + WEIGHT * Math.max(0, deviations);
  return (clear + (locality < 0 ? locality * counts : locality)) / ENOUGH;
}

/**
 * Tuned on bench/memory-recall and on prompts of real developers, so that at most 5 of 100 prompts that need nothing
 * are shown something: a useless memory costs more trust than a missed one.
 */
const ENOUGH_WORDS = 0.75;
/** A new workspace needs a slightly higher score, until it has `ACQUAINTED` prompts. */
const STRICTER = 0.2;
const ACQUAINTED = 40;
const LEAST_KNOWN = 0.45;
const WORDS_ANYWHERE = 0.67;
const WORDS_WEIGHT = 1.3;
const SURE_WORDS = 1.5;
const WEIGHT = 0.5;
const ENOUGH = 2.1;
const ANYWHERE = 0.5;
/** That a prompt is about this project says little for one memory; that it is not says much against all. */
const MOST_HERE = 0.3;
const LEAST_HERE = -3;

/** The usual similarity of a prompt and a memory, used as a prior while there are few past prompts. */
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
