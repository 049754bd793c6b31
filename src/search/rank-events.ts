import { fuse, type SearchCandidate, type RankedItem, type Spread } from "./fuse.ts";
import { type QueryTerms, scoreSessions, type CountedRow, scoreWords } from "./score-words.ts";
import type { EventWeights } from "./weights.ts";

/** How a search came to a hit: it contains words of the question, stands beside them, or is only near in meaning. */
export const matchKinds = ["words", "beside", "meaning"] as const;
export type MatchKind = (typeof matchKinds)[number];

export interface EventLine extends CountedRow {
  readonly session: string;
  /** Beside what was found, and perhaps out of scope: it is heard, and no answer. */
  readonly contextOnly?: boolean | undefined;
}

/** What might answer, with all that was counted: who ranks it needs no store. */
export interface GatheredEvents {
  readonly terms: QueryTerms;
  /** Neighbours in their order. */
  readonly runs: readonly (readonly EventLine[])[];
  readonly cosines: ReadonlyMap<number, number>;
  readonly spread: Spread | null;
}

export interface RankedEvent extends RankedItem {
  readonly by: MatchKind;
}

export interface RankEventsOptions {
  readonly weights: EventWeights;
  /** How near in meaning a line without any of the words must be; without it, all are ranked. */
  readonly related?: number | undefined;
}

/** The lines that answer, best first. */
export function rankEvents(
  gathered: GatheredEvents,
  { weights, related = Number.NEGATIVE_INFINITY }: RankEventsOptions,
): RankedEvent[] {
  const { terms, runs, cosines, spread } = gathered;
  const lines = runs.flat();
  const words = scoreWords(terms, runs, weights.words);
  const sessions =
    weights.session === 0 ? new Map<string, number>() : scoreSessions(terms, groupBySession(lines), weights.words);
  const candidates = lines
    .filter((line) => line.contextOnly !== true)
    .map((line): SearchCandidate => ({
      id: line.id,
      words: words.get(line.id) ?? 0,
      meaning: cosines.get(line.id) ?? null,
      session: weights.session * (sessions.get(line.session) ?? 0),
      group: line.session,
    }))
    .filter((one) => one.words > 0 || (one.meaning ?? 0) >= related);
  const own = new Set(lines.filter(holdsWords).map((line) => line.id));
  const mannerOf = (id: number): MatchKind => (own.has(id) ? "words" : (words.get(id) ?? 0) > 0 ? "beside" : "meaning");
  return fuse(candidates, spread, weights.fuse).map(({ id, score }) => ({ id, score, by: mannerOf(id) }));
}

/** The same without neighbours, sessions and what comes of them. */
export function makeWordsOnlyWeights(weights: EventWeights): EventWeights {
  return {
    words: { ...weights.words, neighbours: 0 },
    session: 0,
    fuse: { ...weights.fuse, again: 1 },
  };
}

/** Whether anything that was gathered contains a word of the question. */
export function hasWordMatches({ runs }: GatheredEvents): boolean {
  return runs.some((run) => run.some(holdsWords));
}

function holdsWords(line: EventLine): boolean {
  return line.counts.some((count) => count > 0) || line.lesser.some((count) => count > 0);
}

function groupBySession(lines: readonly EventLine[]): ReadonlyMap<string, readonly EventLine[]> {
  const sessions = new Map<string, EventLine[]>();
  for (const line of lines) {
    const known = sessions.get(line.session);
    if (known) known.push(line);
    else sessions.set(line.session, [line]);
  }
  return sessions;
}
