import { tokenise } from "../domain/text/tokenise.ts";

/** Maximum number of words kept in memory, over all texts. */
const MOST_WORDS = 4_000_000;

/** Maximum distance at which two words of the query count as a pair. */
const MAX_PAIR_DISTANCE = 8;

/**
 * The length of a text, and how often it contains each word of the query, followed by each pair of adjacent
 * query words that are close together here.
 */
export interface CountedText {
  readonly length: number;
  readonly counts: readonly number[];
  /** The same, for the less significant part of the text. */
  readonly lesser: readonly number[];
}

/** Texts tokenised once and cached per database, because queries share candidates. The text of an id never changes. */
export interface CountedTexts {
  has(id: number): boolean;
  /** `rest` is the less significant part. */
  add(id: number, text: string, rest?: string): void;
  counter(queryWords: readonly string[]): (id: number) => CountedText;
}

export function getCountedTexts(owner: object, kind: string): CountedTexts {
  let kinds = countedByOwner.get(owner);
  if (!kinds) countedByOwner.set(owner, (kinds = new Map()));
  let texts = kinds.get(kind);
  if (!texts) kinds.set(kind, (texts = newCountedTexts()));
  return texts;
}

const countedByOwner = new WeakMap<object, Map<string, CountedTexts>>();

interface Text {
  readonly words: Uint32Array;
  /** Where the less significant part begins. */
  readonly lesserFrom: number;
}

function newCountedTexts(): CountedTexts {
  const numbers = new Map<string, number>();
  const texts = new Map<number, Text>();
  let size = 0;
  const numberOf = (word: string): number => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, numbers.size);
    return numbers.size - 1;
  };
  return {
    has: (id) => texts.has(id),
    add: (id, text, rest = "") => {
      if (size > MOST_WORDS) {
        numbers.clear();
        texts.clear();
        size = 0;
      }
      const mainWords = tokenise(text);
      const words = Uint32Array.from(rest === "" ? mainWords : [...mainWords, ...tokenise(rest)], numberOf);
      size += words.length;
      texts.set(id, { words, lesserFrom: mainWords.length });
    },
    counter: (queryWords) => {
      const places = new Map(queryWords.map((word, at) => [numbers.get(word) ?? -1, at]));
      const none = Array.from({ length: Math.max(0, 2 * queryWords.length - 1) }, () => 0);
      return (id) => countTerms(texts.get(id) ?? NOTHING, places, none);
    },
  };
}

const NOTHING: Text = { words: new Uint32Array(0), lesserFrom: 0 };

function countTerms(
  { words, lesserFrom }: Text,
  places: ReadonlyMap<number, number>,
  none: readonly number[],
): CountedText {
  const wordCount = (none.length + 1) / 2;
  // Most texts contain no query word, or all of them in one part; these share one list.
  let counts: number[] | null = null;
  let lesser: number[] | null = null;
  const lastAt = new Map<number, number>();
  for (let at = 0; at < words.length; at++) {
    const place = places.get(words[at] as number);
    if (place === undefined) continue;
    const into = at < lesserFrom ? (counts ??= [...none]) : (lesser ??= [...none]);
    into[place] = (into[place] as number) + 1;
    for (const beside of [place - 1, place + 1]) {
      const pair = wordCount + Math.min(place, beside);
      if (at - (lastAt.get(beside) ?? Number.NEGATIVE_INFINITY) <= MAX_PAIR_DISTANCE)
        into[pair] = (into[pair] as number) + 1;
    }
    lastAt.set(place, at);
  }
  return { length: words.length, counts: counts ?? none, lesser: lesser ?? none };
}
