import { everydayShare, RARE_WORD_SHARE } from "../text/everyday-words.ts";
import { tokeniseQuery, tokenise } from "../text/tokenise.ts";

/** A prompt of this workspace that came before. */
export interface PastPrompt {
  readonly words: ReadonlySet<string>;
  /** The memories that its session was given with a prompt. */
  readonly given: ReadonlySet<string>;
}

interface Text {
  readonly id: string;
  readonly text: string;
}

/**
 * How far the words of a prompt ask for each memory. One rare word is enough where the memory begins with it or has it as
 * a name; words that the workspace says every day are not, however many. Memories that share nothing are left out.
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
  const fits = new Map<string, number>();
  for (const memory of known) {
    const worth = (word: string) =>
      rarity(word, past, memory.id) * selectivity(inMemories.get(word) ?? 0, known.length);
    const shared = queryWords.flatMap((word) => {
      if (memory.words.has(word)) return [worth(word) * part(word, memory)];
      const capitals = new Set([...short, ...memory.capitals]);
      const other = [...memory.words].find((one) => isShortFor(one, word, capitals) || isShortFor(word, one, capitals));
      return other === undefined ? [] : [SHORTENED * Math.min(worth(word), worth(other)) * part(other, memory)];
    });
    // Squared: two everyday words are no rare one.
    const sum = shared.reduce((total, one) => total + one * one, 0);
    if (sum > 0) fits.set(memory.id, sum / chanceFor(queryWords.length));
  }
  return fits;
}

/** The words of a past prompt, as they are counted here. */
export function extractPromptWords(text: string): ReadonlySet<string> {
  return new Set(tokenise(text.slice(0, MAX_PROMPT_CHARACTERS)));
}

/** The first lines of a prompt tell what it is about; a pasted log has every word. */
export const MAX_PROMPT_CHARACTERS = 500;

/** From 0 to 1: how seldom a word is said here. What everybody says counts as if some prompts had said it already. */
function rarity(word: string, past: readonly PastPrompt[], memory: string): number {
  const saidCount = past
    .filter((one) => one.words.has(word))
    .reduce((sum, { given }) => sum + (given.has(memory) ? ASKED_FOR : 1), 0);
  const all = past.length + SUPPOSED;
  const share = (saidCount + SUPPOSED * everydayShare(word)) / all;
  const seldom = (SUPPOSED * RARE_WORD_SHARE) / all;
  const rare = Math.max(0, Math.log(share) / Math.log(seldom));
  // A letter or a small number stands for something else each time.
  return /^(?:\d{1,2}|\p{L})$/u.test(word) ? rare * 0.3 : rare;
}

/** From 0 to 1: one that is in many memories chooses none of them. */
function selectivity(having: number, memories: number): number {
  const all = Math.max(memories, FEW);
  return Math.log(1 + all / Math.max(1, having)) / Math.log(1 + all);
}

/** What a word is to the memory: it begins with its subject, and a name is what it is about. */
function part(word: string, { words, names }: TextWords): number {
  const at = [...words].indexOf(word) / words.size;
  return (1 - LATER * at) * (names.has(word) ? NAMED : 1);
}

/** The more words, the likelier one of them is shared by chance. */
function chanceFor(words: number): number {
  return 1 + Math.max(0, Math.log2(words / USUAL_WORDS));
}

/* Chosen on bench/memory-recall and on how often real developers' prompts meet memories of somebody else's work. */
const LATER = 0.2;
const NAMED = 1.2;
const USUAL_WORDS = 12;
const SUPPOSED = 60;
const FEW = 20;
/** A prompt that got the memory says the word because it needs it; or so it seems. A word that is said again and again is an everyday word all the same. */
const ASKED_FOR = 0.01;
/** A short form alone is not enough: it may be short for something else. */
const SHORTENED = 0.7;

/** `env` is short for environment, `repo` for repository; `DB`, in capitals, for database. */
function isShortFor(short: string, long: string, capitals: ReadonlySet<string>): boolean {
  if (!/^[a-z]{2,4}$/.test(short) || long.length < short.length + 3) return false;
  if (short.length > 2) return long.startsWith(short);
  const [first = "", second = ""] = short;
  return capitals.has(short) && !/[aeiou]/.test(short) && long.startsWith(first) && long.indexOf(second, 2) > 0;
}

interface TextWords {
  /** In the order of the text. */
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly capitals: ReadonlySet<string>;
}

function analyseText(text: string): TextWords {
  return { words: new Set(tokeniseQuery(text)), names: namesIn(text), capitals: twoCapitals(text) };
}

/** The words of names: with a capital inside a sentence, or written as only code, files and numbers are. */
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
