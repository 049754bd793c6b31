import { tokenise } from "../domain/text/tokenise.ts";

/** Words kept in memory, of all texts together. */
const MOST_WORDS = 4_000_000;

/** How far apart two words of the question may stand to count as said together. */
const MAX_PAIR_DISTANCE = 8;

/**
 * How long a text is, and how often it has each of the asked words, then each two that follow one another in the question
 * and stand together here.
 */
export interface CountedText {
  readonly length: number;
  readonly counts: readonly number[];
  /** The same, of the part of the text that tells less. */
  readonly lesser: readonly number[];
}

/**
 * Texts taken apart once and kept as numbers, because one question's candidates are the next one's too. Kept for each
 * database; a text never changes under its number.
 */
export interface CountedTexts {
  has(id: number): boolean;
  /** `rest` is the part that tells less. */
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
  /** Where the part begins that tells less. */
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
  // Most texts have none of the words, or all of them in one part: these share one list.
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
