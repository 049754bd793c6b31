import { stem } from "./stem.ts";

/** Further than this a text's words are not looked at: a pasted log is found by its beginning. */
const MOST_CHARACTERS = 4_000;
/** A question of more words asks for its first. */
const MOST_ASKED = 100;
/** PostgreSQL refuses a longer one; nobody types it. */
const LONGEST_WORD = 200;

/**
 * The words of a text as they are looked for: without case, accents and endings. An identifier counts as a whole and
 * by its parts (`getUserName` is also get, user and name), a path by its parts, scripts without spaces by pairs of letters.
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

/** The words of a question, each once; those that say nothing (the, what, did) only where there are no others. */
export function tokeniseQuery(query: string): string[] {
  const kept = plain(query)
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== "" && !EMPTY.has(word.toLowerCase()));
  const words = tokenise(kept.length === 0 ? query : kept.join(" "));
  return [...new Set(words)].slice(0, MOST_ASKED);
}

const WORD = /[\p{L}\p{N}_]+/gu;
/** Nothing to take apart: all small letters, or a capital first. */
const PLAIN = /^\p{L}\p{Ll}*$/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

function plain(text: string): string {
  // Most texts are plain already, and looking is cheaper than normalising.
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
