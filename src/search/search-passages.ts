import { askedWords } from "../domain/words.ts";
import { DAY } from "../lib/clock.ts";
import type { Db } from "../store/db.ts";
import { findWords, type FoundWords } from "../store/find-words.ts";
import {
  type Passage,
  passagesByIds,
  passagesBySubjects,
  subjectsInScopes,
  withinPassages,
} from "../store/passages.ts";
import { countedTexts } from "./counted-texts.ts";
import { fuse, type Candidate } from "./fuse.ts";
import { meaningOf, NO_MEANING, type QueryEmbedder } from "./meaning.ts";
import { scoreWords, type Scored } from "./score-words.ts";
import type { Way } from "./search-events.ts";
import { passageWeights, wordWeights } from "./weights.ts";

export interface PassageQuestion {
  readonly noun: string;
  readonly query: string;
  readonly limit: number;
  readonly by?: Exclude<Way, "neighbours"> | undefined;
  /** The scopes it may see; what is in no other is found. Without any named, all. */
  readonly scopes?: readonly string[] | undefined;
  /** What the noun knows of its subjects, for those that were found. */
  readonly known?: (subjects: readonly string[]) => Promise<ReadonlyMap<string, Known>>;
  readonly now?: number | undefined;
}

export interface Known {
  /** From 0 to 1. */
  readonly importance?: number | undefined;
  readonly confidence?: number | undefined;
  /** When it was last of use. */
  readonly at?: number | undefined;
}

export interface PassageHit {
  readonly subject: string;
  readonly score: number;
  /** The cosine to the question, or null without vectors: for those who ask whether two are the same. */
  readonly meaning: number | null;
}

/** As many candidates as are judged, of each kind. */
const CANDIDATES = 100;

/** The texts of a noun that answer best, within the scopes that may be seen. */
export async function searchPassages(
  world: { readonly db: Db; readonly embedder?: QueryEmbedder | null | undefined },
  question: PassageQuestion,
): Promise<PassageHit[]> {
  const { db } = world;
  const { noun, query, scopes } = question;
  const words = askedWords(query);
  const many = Math.max(CANDIDATES, question.limit);
  const { found, byWords } = await passagesWith(db, words, question, many);
  const subjects = scopes === undefined ? undefined : await subjectsInScopes(db, noun, scopes);
  const meaning = question.by === "words" ? NO_MEANING : await meaningOf(world, query, { noun, k: many, subjects });
  const seen = new Set(byWords.map((one) => one.subject));
  const others = meaning.near.filter((subject) => !seen.has(subject));
  // Asked for by scope again: a vector may be older than its subject's scope.
  const passages = [...byWords, ...(await passagesBySubjects(db, noun, others, scopes))];
  const scores = scoreWords(
    { words, ...found },
    passages.map((one) => [countedPassage(db, one, words)]),
    wordWeights,
  );
  const known = (await question.known?.(passages.map((one) => one.subject))) ?? new Map<string, Known>();
  const near = await meaning.of(passages.map((one) => one.subject));
  const candidates = passages.map((one) => candidateOf(one, { scores, near, known, now: question.now }));
  const bySubject = new Map(passages.map((one) => [one.id, one.subject]));
  return fuse(candidates, meaning.spread, passageWeights)
    .slice(0, question.limit)
    .map(({ id, score }) => {
      const subject = bySubject.get(id) ?? "";
      return { subject, score, meaning: near.get(subject) ?? null };
    });
}

/**
 * Asking the index about scope costs a look at each row it ranks, so that is left for after; only where too little was in
 * sight is it asked again, narrowly.
 */
async function passagesWith(
  db: Db,
  words: readonly string[],
  { noun, scopes }: PassageQuestion,
  many: number,
): Promise<{ readonly found: FoundWords; readonly byWords: readonly Passage[] }> {
  const index = await db.dialect.passageWords();
  const inSight = (passage: Passage) =>
    passage.noun === noun && (scopes === undefined || scopes.includes(passage.scope));
  const wide = await findWords(db, index, words, { limit: many });
  const seen = (await passagesByIds(db, wide.ids)).filter(inSight);
  if (wide.ids.length < many || seen.length === wide.ids.length) return { found: wide, byWords: seen };
  const found = await findWords(db, index, words, { limit: many, within: withinPassages(noun, scopes) });
  return { found, byWords: (await passagesByIds(db, found.ids)).filter(inSight) };
}

function countedPassage(db: Db, passage: Passage, words: readonly string[]): Scored {
  const texts = countedTexts(db, "passages");
  if (!texts.has(passage.id)) texts.add(passage.id, passage.text);
  return { id: passage.id, weight: 1, ...texts.count(passage.id, words) };
}

function candidateOf(
  passage: Passage,
  judged: {
    readonly scores: ReadonlyMap<number, number>;
    readonly near: ReadonlyMap<string, number>;
    readonly known: ReadonlyMap<string, Known>;
    readonly now: number | undefined;
  },
): Candidate {
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
