import { everydayShare, isUsualWord, RARE_WORD_SHARE } from "../text/everyday-words.ts";
import { stem } from "../text/stem.ts";
import { tokenise, tokeniseQuery } from "../text/tokenise.ts";

/** An earlier prompt of this workspace. */
export interface PastPrompt {
  readonly words: ReadonlySet<string>;
  /** The memories that its session was shown with a prompt. */
  readonly given: ReadonlySet<string>;
}

interface Text {
  readonly id: string;
  readonly text: string;
}

/**
 * Scores how much the words of a prompt ask for each memory. One rare word suffices if the memory begins with it or
 * uses it as a name; technical terms and the workspace's everyday words do not. Memories that share no word are
 * omitted.
 */
export function scoreWordFits(
  prompt: string,
  memories: readonly Text[],
  past: readonly PastPrompt[],
): ReadonlyMap<string, number> {
  const queryWords = [...new Set(tokeniseQuery(prompt))];
  const known = memories.map((memory) => ({ id: memory.id, ...analyseText(memory.text) }));
  const inMemories = countsOf(known.map((memory) => memory.words));
  const short = twoCapitals(prompt);
  const joined = listJoinedWords(prompt);
  const fits = new Map<string, number>();
  for (const memory of known) {
    const worth = (word: string) =>
      rarity(word, past, memory.id) * selectivity(inMemories.get(word) ?? 0, known.length);
    const shared = queryWords.flatMap((word) => {
      if (memory.words.has(word)) return [worth(word) * part(word, memory)];
      if (memory.joined.has(joinName(word))) return [worth(word)];
      const capitals = new Set([...short, ...memory.capitals]);
      const other = [...memory.words].find(
        (one) =>
          (isShortFor(one, word, capitals) && !isCompound(word, queryWords)) ||
          (isShortFor(word, one, capitals) && !isCompound(one, memory.words)),
      );
      return other === undefined ? [] : [SHORTENED * Math.min(worth(word), worth(other)) * part(other, memory)];
    });
    for (const word of memory.words)
      if (joined.has(word) && !queryWords.includes(word)) shared.push(worth(word) * part(word, memory));
    // Squared, so that two everyday words do not equal a rare one.
    const sum = shared.reduce((total, one) => total + one * one, 0);
    if (sum > 0) fits.set(memory.id, (sum * weighSubject(queryWords)) / chanceFor(queryWords.length));
  }
  return fits;
}

/** A prompt of words common to any project scores lower: `change the colour of the harvest button to green`. */
function weighSubject(words: readonly string[]): number {
  const share = words.filter((word) => !isUsualWord(word)).length / Math.max(1, words.length);
  return Math.exp(SUBJECT * (share - USUAL_SUBJECT));
}

/** The words of a past prompt, tokenised as in `scoreWordFits`. */
export function extractPromptWords(text: string): ReadonlySet<string> {
  return new Set(tokenise(text.slice(0, MAX_PROMPT_CHARACTERS)));
}

/** The first lines of a prompt show its subject; a pasted log contains every word. */
export const MAX_PROMPT_CHARACTERS = 500;

/** How rarely a word is used here, from 0 to 1. Common words count as if some prompts had contained them. */
function rarity(word: string, past: readonly PastPrompt[], memory: string): number {
  const saidCount = past
    .filter((one) => one.words.has(word))
    .reduce((sum, { given }) => sum + (given.has(memory) ? ASKED_FOR : 1), 0);
  const all = past.length + SUPPOSED;
  const share = (saidCount + SUPPOSED * everydayShare(word)) / all;
  const seldom = (SUPPOSED * RARE_WORD_SHARE) / all;
  const rare = Math.max(0, Math.log(share) / Math.log(seldom));
  // A letter or small number means something different each time.
  return /^(?:\d{1,2}|\p{L})$/u.test(word) ? rare * 0.3 : rare;
}

/** From 0 to 1: a word that occurs in many memories selects none of them. */
function selectivity(having: number, memories: number): number {
  const all = Math.max(memories, FEW);
  return Math.log(1 + all / Math.max(1, having)) / Math.log(1 + all);
}

/** The weight of a word in a memory: more at the beginning, where the subject is, and more for names. */
function part(word: string, { words, names }: TextWords): number {
  const at = [...words].indexOf(word) / words.size;
  return (1 - LATER * at) * (names.has(word) ? NAMED : 1);
}

/** The more words, the likelier one of them is shared by chance. */
function chanceFor(words: number): number {
  return 1 + Math.max(0, Math.log2(words / USUAL_WORDS));
}

/** Tuned on bench/memory-recall and on how often real developers' prompts match memories of unrelated work. */
const LATER = 0.2;
const NAMED = 1.2;
const USUAL_WORDS = 12;
const SUPPOSED = 180;
const SUBJECT = 0.64;
const USUAL_SUBJECT = 0.4;
const FEW = 20;
/**
 * The weight of a prompt whose session was shown the memory: it probably used the word because it needed the memory. A
 * word that is used again and again still becomes an everyday word.
 */
const ASKED_FOR = 0.01;
/** A short form alone does not suffice: it may be short for something else. */
const SHORTENED = 0.7;

/** `env` is short for environment, `repo` for repository; `DB`, in capitals, for database. */
function isShortFor(short: string, long: string, capitals: ReadonlySet<string>): boolean {
  if (!/^[a-z]{2,4}$/.test(short) || long.length < short.length + 3) return false;
  if (short.length > 2) return long.startsWith(short);
  const [first = "", second = ""] = short;
  return capitals.has(short) && !/[aeiou]/.test(short) && long.startsWith(first) && long.indexOf(second, 2) > 0;
}

/** `cartPage` begins with cart, but is not its long form. */
function isCompound(word: string, beside: Iterable<string>): boolean {
  return /[_\d]/.test(word) || [...beside].some((one) => one.length > 2 && one !== word && word.startsWith(one));
}

/** Adjacent words joined, and names without separators: `Argo CD` gives argocd, `harbour_rows` gives harbourRows. */
function listJoinedWords(text: string): ReadonlySet<string> {
  const found = text.slice(0, 4_000).matchAll(/(?=(?<![\p{L}\p{N}_])([\p{L}\p{N}_]+)(?:[-. ]([\p{L}\p{N}_]+))?)/gu);
  const joined = [...found].flatMap(([, first = "", second = ""]) => [
    ...(/._.|\p{Ll}\p{Lu}/u.test(first) ? [first] : []),
    ...(second === "" ? [] : [first + second]),
  ]);
  return new Set(joined.filter((word) => word.length >= SHORTEST_JOINED).map(joinName));
}

function joinName(name: string): string {
  return stem(name.toLowerCase().replaceAll("_", ""));
}

/** Shorter joined words match by chance. */
const SHORTEST_JOINED = 4;

interface TextWords {
  /** In the order of the text. */
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly capitals: ReadonlySet<string>;
  readonly joined: ReadonlySet<string>;
}

function analyseText(text: string): TextWords {
  return {
    words: new Set(tokeniseQuery(text)),
    names: namesIn(text),
    capitals: twoCapitals(text),
    joined: listJoinedWords(text),
  };
}

/** The words of names: capitalised inside a sentence, or written like code, files or numbers. */
function namesIn(text: string): ReadonlySet<string> {
  const found = [...text.slice(0, 4_000).matchAll(/[^\s,;()'"`]+/g)].filter(({ 0: token, index }) => {
    if (/[_/\d]|[\p{L}\d]\.[\p{L}\d]|.\p{Lu}/u.test(token)) return true;
    return /^\p{Lu}/u.test(token) && !/(?:^|[.;:!?\n])\s*$/.test(text.slice(Math.max(0, index - 3), index));
  });
  return new Set(found.flatMap(([token]) => tokenise(token)));
}

function twoCapitals(text: string): ReadonlySet<string> {
  return new Set((text.slice(0, 4_000).match(/\b[A-Z]{2}\b/g) ?? []).map((word) => word.toLowerCase()));
}

function countsOf(all: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const words of all) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
