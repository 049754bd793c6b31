import type { Event } from "../domain/event/event.ts";
import { tokeniseQuery } from "../domain/text/tokenise.ts";
import type { Db, WordQueryOptions } from "../store/engine/db.ts";
import {
  extractEventText,
  type EventScope,
  filterFailedCalls,
  listIdsInScope,
  listLocationsAround,
  buildEventFilter,
} from "../store/events/searchable-events.ts";
import { getEventsByIds } from "../store/events/events.ts";
import { findRowsByWords, type WordMatches, MAX_RANKED_ROWS } from "../store/state/find-rows-by-words.ts";
import { getCountedTexts, type CountedTexts } from "./counted-texts.ts";
import {
  computeSemanticScores,
  NO_SEMANTIC_SCORES,
  type SemanticScores,
  type SearchContext,
} from "./semantic-scores.ts";
import {
  type GatheredEvents,
  hasWordMatches,
  type MatchKind,
  rankEvents,
  makeWordsOnlyWeights,
} from "./rank-events.ts";
import { NEIGHBOURS } from "./score-words.ts";
import { eventWeights } from "./weights.ts";

/** How much a search includes; each depth contains the one before. */
export const searchDepths = ["words", "neighbours", "everything"] as const;
export type SearchDepth = (typeof searchDepths)[number];

export interface EventQuery {
  readonly query: string;
  readonly limit: number;
  readonly by?: SearchDepth | undefined;
  readonly scope?: EventScope | undefined;
  /** Minimum cosine of an event without any of the words; if missing, all are ranked. */
  readonly related?: number | undefined;
}

export interface EventHit {
  readonly event: Event;
  readonly score: number;
  readonly by: MatchKind;
  /** True if it is nearer in meaning than unrelated texts are. */
  readonly isNear: boolean;
}

/** Maximum number of candidates of each kind. */
const CANDIDATES = 150;
/** Neighbours are searched among this many events stored before and after, because sessions run in parallel. */
const MAX_NEIGHBOUR_DISTANCE = 12;
/** Failed calls added if the words have more matches than candidates. */
const MAX_FAILED_CALLS = 50;

/** The best matching events. Without an embedder or vectors: by words and neighbours. */
export async function searchEvents(ctx: SearchContext, question: EventQuery): Promise<EventHit[]> {
  const gathered = await gatherEvents(ctx, question);
  const weights = question.by === "words" ? makeWordsOnlyWeights(eventWeights) : eventWeights;
  // If no event contains the words, only really near ones are results: something is always the nearest.
  const related = question.related ?? (hasWordMatches(gathered) ? undefined : (ctx.embedder?.related ?? undefined));
  const best = rankEvents(gathered, { weights, related }).slice(0, question.limit);
  const ids = best.map((one) => one.id);
  const events = new Map((await getEventsByIds(ctx.db, ids)).map((event) => [event.id, event]));
  const near = nearLimit(ctx, gathered);
  return best.flatMap(({ id, score, by }) => {
    const event = events.get(id);
    return event ? [{ event, score, by, isNear: (gathered.cosines.get(id) ?? 0) >= near }] : [];
  });
}

/**
 * Among many texts, the nearest is always somewhat near: of 22 unrelated queries against 519 real prompts,
 * only one exceeded 1.5 times `related`. For other models only the spread is known.
 */
function nearLimit({ embedder }: SearchContext, { spread }: GatheredEvents): number {
  if (embedder?.related !== undefined) return 1.5 * embedder.related;
  return spread === null ? Number.POSITIVE_INFINITY : spread.mean + 4 * spread.deviation;
}

/** The candidates with all their scores. */
export async function gatherEvents(
  ctx: SearchContext,
  { query, limit, by = "everything", scope = {} }: EventQuery,
): Promise<GatheredEvents> {
  const { db } = ctx;
  const words = tokeniseQuery(query);
  const many = Math.max(CANDIDATES, limit);
  const within = await buildEventFilter(db, scope);
  const found = await findRowsByWords(db, await db.dialect.words(), words, { limit: many, within });
  const failed = found.ids.length < many ? [] : await findFailedCalls(db, found, within);
  const meaning = by === "everything" ? await findNearEvents(ctx, query, { scope, k: many }) : NO_SEMANTIC_SCORES;
  const direct = new Set([...found.ids, ...failed, ...meaning.near.map(Number)]);
  const places = await listLocationsAround(db, [...direct], by === "words" ? 0 : MAX_NEIGHBOUR_DISTANCE);
  const runs = splitIntoRuns(places, direct, by === "words" ? 0 : NEIGHBOURS);
  const ids = runs.flat().map((place) => place.id);
  const texts = getCountedTexts(db, "events");
  await loadTexts(db, texts, ids);
  const count = texts.counter(words);
  // A session may change its workspace and goes on in time, so a hit's neighbours may be out of scope.
  const narrow = scope.workspace !== undefined || scope.since !== undefined || scope.until !== undefined;
  const near = await meaning.of(ids.map(String));
  return {
    terms: { ...found, words },
    runs: runs.map((run) =>
      run.map((place) => ({
        id: place.id,
        session: `${place.host} ${place.session}`,
        contextOnly: narrow && !direct.has(place.id),
        ...count(place.id),
      })),
    ),
    cosines: new Map([...near].map(([id, cosine]) => [Number(id), cosine])),
    spread: meaning.spread,
  };
}

/**
 * Failed calls with all the words. If `npm run tests` failed among thousands of lines about tests, it is what
 * a user who types that looks for.
 */
async function findFailedCalls(
  db: Db,
  found: WordMatches,
  within: WordQueryOptions["within"],
): Promise<readonly number[]> {
  const known = [...found.counts.keys()];
  const newest = await (await db.dialect.words()).all(db, known, { limit: MAX_RANKED_ROWS, within });
  return (await filterFailedCalls(db, newest)).slice(0, MAX_FAILED_CALLS);
}

async function findNearEvents(
  ctx: SearchContext,
  query: string,
  { scope, k }: { readonly scope: EventScope; readonly k: number },
): Promise<SemanticScores> {
  if (!ctx.embedder) return NO_SEMANTIC_SCORES;
  const ids = await listIdsInScope(ctx.db, scope);
  return computeSemanticScores(ctx, query, { noun: "event", k, subjects: ids?.map(String) });
}

type LocatedEvent = Awaited<ReturnType<typeof listLocationsAround>>[number];

/** Runs of consecutive events around the hits, per session; a gap ends a run. */
function splitIntoRuns(places: readonly LocatedEvent[], direct: ReadonlySet<number>, reach: number): LocatedEvent[][] {
  const sessions = new Map<string, LocatedEvent[]>();
  for (const place of places) {
    const key = JSON.stringify([place.host, place.session]);
    const known = sessions.get(key);
    if (known) known.push(place);
    else sessions.set(key, [place]);
  }
  return [...sessions.values()].flatMap((all) => {
    const ordered = all.toSorted((a, b) => a.seq - b.seq || a.id - b.id);
    const runs: LocatedEvent[][] = [];
    let lastAt = -2;
    // Distance to the nearest hit ahead and behind.
    let ahead = -1;
    let behind = Number.NEGATIVE_INFINITY;
    for (const [at, place] of ordered.entries()) {
      while (ahead < at || (ahead < ordered.length && !direct.has((ordered[ahead] as LocatedEvent).id))) ahead++;
      if (ahead === ordered.length) ahead = Number.POSITIVE_INFINITY;
      if (ahead === at) behind = at;
      if (Math.min(at - behind, ahead - at) > reach) continue;
      if (at === lastAt + 1) runs.at(-1)?.push(place);
      else runs.push([place]);
      lastAt = at;
    }
    return runs;
  });
}

/** Reads the texts that are not cached yet. */
async function loadTexts(db: Db, texts: CountedTexts, ids: readonly number[]): Promise<void> {
  const unknown = ids.filter((id) => !texts.has(id));
  for (let from = 0; from < unknown.length; from += CHUNK)
    for (const event of await getEventsByIds(db, unknown.slice(from, from + CHUNK))) {
      const { main, rest } = extractEventText(event);
      texts.add(event.id, main, rest);
    }
}

const CHUNK = 500;
