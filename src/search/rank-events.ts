import { fuse, type SearchCandidate, type RankedItem, type Spread } from "./fuse.ts";
import { type QueryTerms, scoreSessions, type CountedRow, scoreWords } from "./score-words.ts";
import type { EventWeights } from "./weights.ts";

/** How a hit was found: it contains words of the query, is next to a line that does, or is only near in meaning. */
export const matchKinds = ["words", "beside", "meaning"] as const;
export type MatchKind = (typeof matchKinds)[number];

export interface EventLine extends CountedRow {
  readonly session: string;
  /** Next to a hit and perhaps out of scope: it contributes to scores, but is no result. */
  readonly contextOnly?: boolean | undefined;
}

/** Candidates with all their counts, so that ranking needs no store. */
export interface GatheredEvents {
  readonly terms: QueryTerms;
  /** Neighbours in order. */
  readonly runs: readonly (readonly EventLine[])[];
  readonly cosines: ReadonlyMap<number, number>;
  readonly spread: Spread | null;
}

export interface RankedEvent extends RankedItem {
  readonly by: MatchKind;
}

export interface RankEventsOptions {
  readonly weights: EventWeights;
  /** Minimum cosine of a line without any of the words; if missing, all are ranked. */
  readonly related?: number | undefined;
}

/** The matching lines, best first. */
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

/** The same weights without neighbours, sessions and grouping. */
export function makeWordsOnlyWeights(weights: EventWeights): EventWeights {
  return {
    words: { ...weights.words, neighbours: 0 },
    session: 0,
    fuse: { ...weights.fuse, again: 1 },
  };
}

/** True if any gathered line contains a word of the query. */
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
