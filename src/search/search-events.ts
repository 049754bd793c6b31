import type { Event } from "../domain/event/event.ts";
import { askedWords } from "../domain/text/words.ts";
import type { Db } from "../store/engine/db.ts";
import { type EventScope, idsInScope, placesAround, textOfEvent, withinEvents } from "../store/event-places.ts";
import { eventsByIds } from "../store/events.ts";
import { findWords, type FoundWords } from "../store/find-words.ts";
import { countedTexts, type CountedTexts } from "./counted-texts.ts";
import { type Candidate, fuse, type Spread } from "./fuse.ts";
import { meaningOf, NO_MEANING, type Meaning, type SearchContext } from "./meaning.ts";
import { scoreWords, type Scored } from "./score-words.ts";
import { type EventWeights, eventWeights } from "./weights.ts";

/** How far a search goes; each takes in the one before. */
export const ways = ["words", "neighbours", "everything"] as const;
export type Way = (typeof ways)[number];

export interface EventQuestion {
  readonly query: string;
  readonly limit: number;
  readonly by?: Way | undefined;
  readonly scope?: EventScope | undefined;
  /** How near in meaning an event without any of the words must be; without it, all are ranked. */
  readonly related?: number | undefined;
  /** For who chooses them. */
  readonly weights?: EventWeights | undefined;
}

export interface EventHit {
  readonly event: Event;
  readonly score: number;
}

/** As many candidates as are judged, of each kind. */
const CANDIDATES = 150;
/** Neighbours are looked for among so many events stored before and after: sessions run side by side. */
const REACH = 12;

/** The events that answer best. Without an embedder, or where nothing has a vector, by words and neighbours. */
export async function searchEvents(ctx: SearchContext, question: EventQuestion): Promise<EventHit[]> {
  const { candidates, spread } = await gatherEvents(ctx, question);
  const { fuse: weights } = question.weights ?? eventWeights;
  const alone = question.by === "words" ? { ...weights, again: 1 } : weights;
  const { related = Number.NEGATIVE_INFINITY } = question;
  const fitting = candidates.filter((one) => one.words > 0 || (one.meaning ?? 0) >= related);
  const best = fuse(fitting, spread, alone).slice(0, question.limit);
  const ids = best.map((one) => one.id);
  const events = new Map((await eventsByIds(ctx.db, ids)).map((event) => [event.id, event]));
  return best.flatMap(({ id, score }) => {
    const event = events.get(id);
    return event ? [{ event, score }] : [];
  });
}

/** What might answer, with all that speaks for each. */
export async function gatherEvents(
  ctx: SearchContext,
  { query, limit, by = "everything", scope = {}, weights = eventWeights }: EventQuestion,
): Promise<{ readonly candidates: readonly Candidate[]; readonly spread: Spread | null }> {
  const { db } = ctx;
  const words = askedWords(query);
  const many = Math.max(CANDIDATES, limit);
  const within = await withinEvents(db, scope);
  const found = await findWords(db, await db.dialect.words(), words, { limit: many, within });
  const meaning = by === "everything" ? await nearEvents(ctx, query, { scope, k: many }) : NO_MEANING;
  const direct = [...new Set([...found.ids, ...meaning.near.map(Number)])];
  const judged = await judge(db, { words, found, direct, by, weights, narrow: scope.workspace !== undefined });
  const near = await meaning.of(judged.places.map((place) => String(place.id)));
  const candidates = judged.places.map((place) => ({
    id: place.id,
    words: judged.scores.get(place.id) ?? 0,
    meaning: near.get(String(place.id)) ?? null,
    group: `${place.host} ${place.session}`,
  }));
  return { candidates, spread: meaning.spread };
}

async function nearEvents(
  ctx: SearchContext,
  query: string,
  { scope, k }: { readonly scope: EventScope; readonly k: number },
): Promise<Meaning> {
  if (!ctx.embedder) return NO_MEANING;
  const ids = await idsInScope(ctx.db, scope);
  return meaningOf(ctx, query, { noun: "event", k, subjects: ids?.map(String) });
}

interface Judged {
  readonly places: readonly { readonly id: number; readonly host: string; readonly session: string }[];
  readonly scores: ReadonlyMap<number, number>;
}

async function judge(
  db: Db,
  asked: {
    readonly words: readonly string[];
    readonly found: FoundWords;
    readonly direct: readonly number[];
    readonly by: Way;
    readonly weights: EventWeights;
    /** Only what was found itself, not what is beside it. */
    readonly narrow: boolean;
  },
): Promise<Judged> {
  const alone = asked.by === "words";
  const places = await placesAround(db, asked.direct, alone ? 0 : REACH);
  const reach = alone ? 0 : asked.weights.words.neighbours.length;
  const runs = runsOf(places, new Set(asked.direct), reach);
  const texts = countedTexts(db, "events");
  const answers = await readTexts(
    db,
    texts,
    runs.flat().map((place) => place.id),
  );
  const count = texts.counter(asked.words);
  const counted = runs.map((run) =>
    run.map((place): Scored => ({
      id: place.id,
      weight: answers.has(place.id) ? asked.weights.answer : 1,
      ...count(place.id),
    })),
  );
  const scores = scoreWords(
    { words: asked.words, ...asked.found },
    counted,
    alone ? { ...asked.weights.words, neighbours: [] } : asked.weights.words,
  );
  // A session can move from one workspace to another: what is beside a hit need not be in its scope.
  const direct = new Set(asked.direct);
  return { places: runs.flat().filter((place) => !asked.narrow || direct.has(place.id)), scores };
}

type Sited = Awaited<ReturnType<typeof placesAround>>[number];

/** Stretches of sessions in their order, around what was found; what is left out between two parts them. */
function runsOf(places: readonly Sited[], direct: ReadonlySet<number>, reach: number): Sited[][] {
  const sessions = new Map<string, Sited[]>();
  for (const place of places) {
    const key = JSON.stringify([place.host, place.session]);
    const known = sessions.get(key);
    if (known) known.push(place);
    else sessions.set(key, [place]);
  }
  return [...sessions.values()].flatMap((all) => {
    const ordered = all.toSorted((a, b) => a.seq - b.seq || a.id - b.id);
    const runs: Sited[][] = [];
    let lastAt = -2;
    for (const [at, place] of ordered.entries()) {
      if (!ordered.slice(Math.max(0, at - reach), at + reach + 1).some((near) => direct.has(near.id))) continue;
      if (at === lastAt + 1) runs.at(-1)?.push(place);
      else runs.push([place]);
      lastAt = at;
    }
    return runs;
  });
}

/** What is not known yet is read. Returns which are answers of unnamed agents. */
async function readTexts(db: Db, texts: CountedTexts, ids: readonly number[]): Promise<ReadonlySet<number>> {
  let answers = answersIn.get(db);
  if (!answers) answersIn.set(db, (answers = new Set()));
  const unknown = ids.filter((id) => !texts.has(id));
  for (let from = 0; from < unknown.length; from += CHUNK)
    for (const event of await eventsByIds(db, unknown.slice(from, from + CHUNK))) {
      texts.add(event.id, textOfEvent(event));
      if (event.kind === "answer" && event.agent === null) answers.add(event.id);
    }
  return answers;
}

const answersIn = new WeakMap<Db, Set<number>>();

const CHUNK = 500;
