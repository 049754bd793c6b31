import { stem } from "./stem.ts";

/** Only the beginning of a text is tokenised; a pasted log is found by it. */
const MOST_CHARACTERS = 4_000;
/** A query uses at most this many words. */
const MOST_ASKED = 100;
/** PostgreSQL refuses longer words. */
const LONGEST_WORD = 200;

/**
 * Splits a text into search words, without case, accents and endings. An identifier gives itself and its parts
 * (`getUserName` also gives get, user and name), a path its parts, a script without spaces its pairs of letters.
 */
export function tokenise(text: string): string[] {
  const words: string[] = [];
  for (const [found] of plain(text.slice(0, MOST_CHARACTERS)).matchAll(WORD)) {
    if (found.length > LONGEST_WORD) continue;
    if (UNSPACED.test(found)) words.push(...pairsOf(found));
    else if (PLAIN.test(found)) words.push(stem(found.toLowerCase()));
    else words.push(...identifierWords(found));
  }
  return words;
}

/** The distinct words of a query. Stop words (the, what, did) are used only if there are no others. */
export function tokeniseQuery(query: string): string[] {
  const kept = plain(query)
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== "" && !EMPTY.has(word.toLowerCase()));
  const words = tokenise(kept.length === 0 ? query : kept.join(" "));
  return [...new Set(words)].slice(0, MOST_ASKED);
}

const WORD = /[\p{L}\p{N}_]+/gu;
/** A word without parts: all lower case, or capitalised. */
const PLAIN = /^\p{L}\p{Ll}*$/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

function plain(text: string): string {
  // Most texts need no normalising, and this test is cheaper.
  return /[^ -~\s]/.test(text)
    ? text
        .normalize("NFKD")
        .replaceAll(/\p{Mn}/gu, "")
        .normalize("NFC")
    : text;
}

function identifierWords(identifier: string): string[] {
  const whole = identifier.toLowerCase();
  const parts = identifier
    .split("_")
    .flatMap((part) => part.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu) ?? [])
    .map((part) => stem(part.toLowerCase()));
  return parts.length > 1 ? [whole, ...parts] : [stem(whole)];
}

function pairsOf(run: string): string[] {
  const letters = [...run.toLowerCase()];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

const EMPTY = new Set(
  (
    "a an the and or but if of to in on at by for with from as is are was were be been being am i me my mine we us our " +
    "you your he him his she her it its they them their this that these those what which who whom when where why how " +
    "do does did doing done have has had having can could will would shall should may might must not no nor so than " +
    "too very just about into over under again there here any some such own same other more most few each s t d ll re ve m don"
  ).split(" "),
);
