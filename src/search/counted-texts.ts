import { wordsOf } from "../domain/text/words.ts";

/** Words kept in memory, of all texts together. */
const MOST_WORDS = 4_000_000;

/** How long a text is, and how often it has each of the asked words. */
export interface CountedText {
  readonly length: number;
  readonly counts: readonly number[];
}

/**
 * Texts taken apart once and kept as numbers, because one question's candidates are the next one's too. Kept for each
 * database; a text never changes under its number.
 */
export interface CountedTexts {
  has(id: number): boolean;
  add(id: number, text: string): void;
  counter(asked: readonly string[]): (id: number) => CountedText;
}

export function countedTexts(owner: object, kind: string): CountedTexts {
  let kinds = kept.get(owner);
  if (!kinds) kept.set(owner, (kinds = new Map()));
  let texts = kinds.get(kind);
  if (!texts) kinds.set(kind, (texts = newCountedTexts()));
  return texts;
}

const kept = new WeakMap<object, Map<string, CountedTexts>>();

function newCountedTexts(): CountedTexts {
  const numbers = new Map<string, number>();
  const texts = new Map<number, Uint32Array>();
  let size = 0;
  return {
    has: (id) => texts.has(id),
    add: (id, text) => {
      if (size > MOST_WORDS) {
        numbers.clear();
        texts.clear();
        size = 0;
      }
      const words = Uint32Array.from(wordsOf(text), (word) => {
        const known = numbers.get(word);
        if (known !== undefined) return known;
        numbers.set(word, numbers.size);
        return numbers.size - 1;
      });
      size += words.length;
      texts.set(id, words);
    },
    counter: (asked) => {
      const places = new Map(asked.map((word, at) => [numbers.get(word) ?? -1, at]));
      return (id) => {
        const words = texts.get(id);
        const counts = asked.map(() => 0);
        for (const word of words ?? []) {
          const at = places.get(word);
          if (at !== undefined) counts[at] = (counts[at] as number) + 1;
        }
        return { length: words?.length ?? 0, counts };
      };
    },
  };
}
