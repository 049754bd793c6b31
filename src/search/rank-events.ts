import { fuse, type Candidate, type Ranked, type Spread } from "./fuse.ts";
import { type Asked, scoreSessions, type Scored, scoreWords } from "./score-words.ts";
import type { EventWeights } from "./weights.ts";

/** How a search came to a hit: it contains words of the question, stands beside them, or is only near in meaning. */
export const manners = ["words", "beside", "meaning"] as const;
export type Manner = (typeof manners)[number];

export interface Line extends Scored {
  readonly session: string;
  /** Beside what was found, and perhaps out of scope: it is heard, and no answer. */
  readonly heard?: boolean | undefined;
}

/** What might answer, with all that was counted: who ranks it needs no store. */
export interface Gathered {
  readonly asked: Asked;
  /** Neighbours in their order. */
  readonly runs: readonly (readonly Line[])[];
  readonly cosines: ReadonlyMap<number, number>;
  readonly spread: Spread | null;
}

export interface RankedEvent extends Ranked {
  readonly by: Manner;
}

export interface Ranking {
  readonly weights: EventWeights;
  /** How near in meaning a line without any of the words must be; without it, all are ranked. */
  readonly related?: number | undefined;
}

/** The lines that answer, best first. */
export function rankEvents(
  gathered: Gathered,
  { weights, related = Number.NEGATIVE_INFINITY }: Ranking,
): RankedEvent[] {
  const { asked, runs, cosines, spread } = gathered;
  const lines = runs.flat();
  const words = scoreWords(asked, runs, weights.words);
  const sessions =
    weights.session === 0 ? new Map<string, number>() : scoreSessions(asked, bySession(lines), weights.words);
  const candidates = lines
    .filter((line) => line.heard !== true)
    .map((line): Candidate => ({
      id: line.id,
      words: words.get(line.id) ?? 0,
      meaning: cosines.get(line.id) ?? null,
      session: weights.session * (sessions.get(line.session) ?? 0),
      group: line.session,
    }))
    .filter((one) => one.words > 0 || (one.meaning ?? 0) >= related);
  const own = new Set(lines.filter(holdsWords).map((line) => line.id));
  const mannerOf = (id: number): Manner => (own.has(id) ? "words" : (words.get(id) ?? 0) > 0 ? "beside" : "meaning");
  return fuse(candidates, spread, weights.fuse).map(({ id, score }) => ({ id, score, by: mannerOf(id) }));
}

/** The same without neighbours, sessions and what comes of them. */
export function wordsAlone(weights: EventWeights): EventWeights {
  return {
    words: { ...weights.words, neighbours: 0 },
    session: 0,
    fuse: { ...weights.fuse, again: 1 },
  };
}

/** Whether anything that was gathered contains a word of the question. */
export function hasWords({ runs }: Gathered): boolean {
  return runs.some((run) => run.some(holdsWords));
}

function holdsWords(line: Line): boolean {
  return line.counts.some((count) => count > 0) || line.lesser.some((count) => count > 0);
}

function bySession(lines: readonly Line[]): ReadonlyMap<string, readonly Line[]> {
  const sessions = new Map<string, Line[]>();
  for (const line of lines) {
    const known = sessions.get(line.session);
    if (known) known.push(line);
    else sessions.set(line.session, [line]);
  }
  return sessions;
}
