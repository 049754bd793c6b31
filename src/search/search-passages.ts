import { tokeniseQuery } from "../domain/text/tokenise.ts";
import { DAY } from "../lib/clock.ts";
import type { Db } from "../store/engine/db.ts";
import { findRowsByWords, type WordMatches, MAX_RANKED_ROWS } from "../store/state/find-rows-by-words.ts";
import {
  listLatestPassages,
  getPassagesByIds,
  getPassagesBySubjects,
  getPassageTexts,
  type PassageRef,
  type SearchScope,
} from "../store/nouns/passages.ts";
import { getCountedTexts } from "./counted-texts.ts";
import type { SearchCandidate } from "./fuse.ts";
import { type SemanticScores, computeSemanticScores, type SearchContext } from "./semantic-scores.ts";
import { type PassageFit, rankPassages } from "./rank-passages.ts";
import { scoreWords, type CountedRow } from "./score-words.ts";
import { passageWeights, passageWordWeights } from "./weights.ts";

export interface PassageQuery {
  readonly noun: string;
  readonly query: string;
  /** The text for the search by meaning, if `query` has only its words. */
  readonly sense?: string | undefined;
  /** One shared word is enough even if meaning is known; the caller chooses among the hits. */
  readonly anyWord?: boolean | undefined;
  readonly limit: number;
  /** The visible scopes; other scopes are excluded. If missing, all are visible. */
  readonly scopes?: readonly string[] | undefined;
  /** Returns the noun's metadata for the found subjects. */
  readonly known?: (subjects: readonly string[]) => Promise<ReadonlyMap<string, PassageMetadata>>;
  readonly now?: number | undefined;
}

export interface PassageMetadata {
  /** From 0 to 1. */
  readonly importance?: number | undefined;
  readonly confidence?: number | undefined;
  /** When it was last useful. */
  readonly at?: number | undefined;
}

export interface PassageHit {
  readonly subject: string;
  readonly score: number;
  /** Cosine to the query, null without vectors; also used to detect duplicates. */
  readonly meaning: number | null;
  readonly fit: PassageFit;
}

/** Maximum number of candidates of each kind. */
const CANDIDATES = 100;

/** The best matching texts of a noun, within the visible scopes. */
export async function searchPassages(ctx: SearchContext, question: PassageQuery): Promise<PassageHit[]> {
  const { db } = ctx;
  const { noun, query } = question;
  const words = tokeniseQuery(query);
  const lookup = { words, scope: { noun, scopes: question.scopes }, many: Math.max(CANDIDATES, question.limit) };
  const { found, byWords } = await findByWords(db, lookup, question.limit);
  const meaning = await computeSemanticScores(ctx, question.sense ?? query, { noun, k: lookup.many });
  const seen = new Set(byWords.map((one) => one.id));
  const near = await findNear(db, meaning, lookup);
  const passages = [...byWords, ...near.filter((one) => !seen.has(one.id))];
  const scores = scoreWords({ words, ...found }, await countTexts(db, passages, words), passageWordWeights);
  const subjects = passages.map((one) => one.subject);
  const known = (await question.known?.(subjects)) ?? new Map<string, PassageMetadata>();
  const cosines = await meaning.of(subjects);
  const crowding = await meaning.crowding(pickNearest(cosines, CROWDED));
  const candidates = passages.map((one) => ({
    ...toCandidate(one, { scores, near: cosines, known, now: question.now }),
    crowding: crowding.get(one.subject),
  }));
  const bySubject = new Map(passages.map((one) => [one.id, one.subject]));
  return rankPassages(candidates, { ...meaning, anyWord: question.anyWord }, passageWeights)
    .slice(0, question.limit)
    .map(({ id, score, fit }) => {
      const subject = bySubject.get(id) ?? "";
      return { subject, score, fit, meaning: cosines.get(subject) ?? null };
    });
}

/** For this many of the nearest, crowding is computed. */
const CROWDED = 64;

function pickNearest(cosines: ReadonlyMap<string, number>, most: number): readonly string[] {
  return [...cosines]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([subject]) => subject);
}

interface PassageLookup {
  readonly words: readonly string[];
  readonly scope: SearchScope;
  readonly many: number;
}

/**
 * Filtering by scope in the index would cost a lookup for each ranked row, so the best rows are checked in
 * turn until enough are visible. If the words are too common to select, or none of the selected rows is
 * visible, the newest visible ones are used: then few are visible, or all say much the same.
 */
async function findByWords(
  db: Db,
  { words, scope, many }: PassageLookup,
  limit: number,
): Promise<{ readonly found: WordMatches; readonly byWords: readonly PassageRef[] }> {
  const found = await findRowsByWords(db, await db.dialect.passageWords(), words, { limit: MAX_RANKED_ROWS });
  const byWords: PassageRef[] = [];
  for (let from = 0; from < found.ids.length && byWords.length * 2 < many;) {
    const some = found.ids.slice(from, from === 0 ? many : from + CHUNK);
    const visible = new Map((await getPassagesByIds(db, some, scope)).map((one) => [one.id, one]));
    byWords.push(...some.flatMap((id) => visible.get(id) ?? []));
    from += some.length;
  }
  const enough = byWords.length >= limit || (byWords.length > 0 && !found.common);
  if (enough || found.counts.size === 0) return { found, byWords: byWords.slice(0, many) };
  const seen = new Set(byWords.map((one) => one.id));
  const latest = await listLatestPassages(db, scope, LATEST);
  return { found, byWords: [...byWords, ...latest.filter((one) => !seen.has(one.id))] };
}

const CHUNK = 500;
const LATEST = 1_000;

/** The same for meaning: the nearest of all first; if few of them are visible, only the visible ones. */
async function findNear(
  db: Db,
  meaning: SemanticScores,
  { scope, many }: PassageLookup,
): Promise<readonly PassageRef[]> {
  const keepVisible = async (subjects: readonly string[]) => {
    const found = new Map((await getPassagesBySubjects(db, subjects, scope)).map((one) => [one.subject, one]));
    return subjects.flatMap((subject) => found.get(subject) ?? []);
  };
  const nearest = await keepVisible(meaning.near);
  if (scope.scopes === undefined || meaning.near.length < many || nearest.length * 2 > many) return nearest;
  const wider = await keepVisible(await meaning.nearest(many * WIDER));
  if (wider.length * 2 > many) return wider.slice(0, many);
  const latest = await listLatestPassages(db, scope, MAX_RANKED_ROWS);
  return keepVisible(
    await meaning.nearest(
      many,
      latest.map((one) => one.subject),
    ),
  );
}

const WIDER = 8;

/** Each passage alone, because passages have no neighbours. Reads only texts that are not cached. */
async function countTexts(
  db: Db,
  passages: readonly PassageRef[],
  words: readonly string[],
): Promise<readonly CountedRow[][]> {
  const texts = getCountedTexts(db, "passages");
  const unknown = passages.filter((one) => !texts.has(one.id)).map((one) => one.id);
  for (const { id, text } of await getPassageTexts(db, unknown)) texts.add(id, text);
  const count = texts.counter(words);
  return passages.map(({ id }) => [{ id, ...count(id) }]);
}

function toCandidate(
  passage: PassageRef,
  judged: {
    readonly scores: ReadonlyMap<number, number>;
    readonly near: ReadonlyMap<string, number>;
    readonly known: ReadonlyMap<string, PassageMetadata>;
    readonly now: number | undefined;
  },
): SearchCandidate {
  const known = judged.known.get(passage.subject);
  const age = known?.at === undefined || judged.now === undefined ? undefined : (judged.now - known.at) / DAY;
  return {
    id: passage.id,
    words: judged.scores.get(passage.id) ?? 0,
    meaning: judged.near.get(passage.subject) ?? null,
    importance: known?.importance,
    confidence: known?.confidence,
    ageDays: age === undefined ? undefined : Math.max(0, age),
  };
}
