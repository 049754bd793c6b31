import { type GatheredEvents, rankEvents, makeWordsOnlyWeights } from "../src/search/rank-events.ts";
import { type EventWeights, eventWeights } from "../src/search/weights.ts";

/** The weights to choose; the others keep their shipped values. */
export interface FreeWeights {
  readonly neighbours: number;
  readonly pairs: number;
  readonly lesser: number;
  readonly session: number;
  readonly meaning: number;
}

/** Few and far apart: a finer choice would fit more noise. */
const values: { readonly [name in keyof FreeWeights]: readonly number[] } = {
  neighbours: [0.2, 0.4, 0.6],
  pairs: [0, 0.25, 0.5],
  lesser: [0.15, 0.3, 0.6],
  session: [0, 0.2, 0.4],
  meaning: [0.4, 0.8, 1.2],
};

export const shippedWeights: FreeWeights = {
  neighbours: eventWeights.words.neighbours,
  pairs: eventWeights.words.pairs,
  lesser: eventWeights.words.lesser,
  session: eventWeights.session,
  meaning: eventWeights.fuse.meaning,
};

/** Our search steps; each includes the one before. */
export const searchSteps = ["words", "neighbours", "sessions", "everything"] as const;
export type SearchStep = (typeof searchSteps)[number];

/** The event ids, best first. */
export function rankGathered(gathered: GatheredEvents, step: SearchStep, free: FreeWeights): readonly number[] {
  const all = makeWeights(free);
  const weights = step === "words" ? makeWordsOnlyWeights(all) : step === "neighbours" ? { ...all, session: 0 } : all;
  return rankEvents(gathered, { weights }).map((one) => one.id);
}

function makeWeights({ neighbours, pairs, lesser, session, meaning }: FreeWeights): EventWeights {
  return {
    words: { ...eventWeights.words, neighbours, pairs, lesser },
    session,
    fuse: { ...eventWeights.fuse, meaning },
  };
}

/**
 * Chooses the best weights for a set of questions by coordinate ascent: one weight at a time until none improves; a tie
 * changes nothing. Results of `worth` are cached, because folds share most of their questions.
 */
export function makeChooser<Q>(worth: (question: Q, free: FreeWeights) => number) {
  const kept = new Map<string, Map<Q, number>>();
  const worthOf = (free: FreeWeights, question: Q): number => {
    const key = JSON.stringify(free);
    let known = kept.get(key);
    if (!known) kept.set(key, (known = new Map()));
    let value = known.get(question);
    if (value === undefined) known.set(question, (value = worth(question, free)));
    return value;
  };
  /** Each set has the same weight, however many questions it has. */
  const goodness = (sets: readonly (readonly Q[])[], free: FreeWeights): number => {
    const filled = sets.filter((questions) => questions.length > 0);
    const means = filled.map((set) => set.reduce((sum, question) => sum + worthOf(free, question), 0) / set.length);
    return means.reduce((sum, mean) => sum + mean, 0) / filled.length;
  };
  return (sets: readonly (readonly Q[])[]): FreeWeights => {
    let best: FreeWeights = { neighbours: 0.4, pairs: 0.25, lesser: 0.3, session: 0.2, meaning: 0.8 };
    let most = goodness(sets, best);
    for (let changed = true; changed;) {
      changed = false;
      for (const name of Object.keys(values) as (keyof FreeWeights)[])
        for (const value of values[name]) {
          const tried = { ...best, [name]: value };
          const worthThen = goodness(sets, tried);
          if (worthThen <= most + 1e-9) continue;
          [best, most, changed] = [tried, worthThen, true];
        }
    }
    return best;
  };
}
