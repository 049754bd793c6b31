/** Encodes texts as word piece ids, as the model was trained: lower case, without accents, punctuation separated. */
export interface WordPieces {
  /** At most `most` ids, without the begin and end tokens. */
  encode(text: string, most: number): number[];
}

export const BEGIN_TOKEN = 101;
export const END_TOKEN = 102;
const LONGEST_WORD = 100;

export function wordPieces(vocabulary: string): WordPieces {
  const numbers = new Map(vocabulary.split("\n").map((piece, number) => [piece.replace(/\r$/, ""), number]));
  const unknown = numbers.get("[UNK]") ?? 100;
  /** A cache: words repeat, and splitting one is slower than a lookup. */
  const known = new Map<string, readonly number[]>();
  const piecesOf = (word: string): readonly number[] => {
    const found = known.get(word);
    if (found) return found;
    const made = cut(word, numbers) ?? [unknown];
    if (known.size >= 20_000) known.clear();
    known.set(word, made);
    return made;
  };
  return {
    encode: (text, most) => {
      const pieces: number[] = [];
      for (const [word] of plain(text, most).matchAll(WORDS)) {
        pieces.push(...piecesOf(word));
        if (pieces.length >= most) break;
      }
      return pieces.slice(0, most);
    },
  };
}

/** Limits the text to LONGEST_WORD characters per wanted piece, because the rest is not needed. */
function plain(text: string, most: number): string {
  return text
    .slice(0, most * LONGEST_WORD)
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}

const WORDS =
  /[\p{P}\p{S}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\s\p{P}\p{S}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+/gu;

/** Greedy: the longest matching piece, then the longest continuation. Null if a part matches no piece. */
function cut(word: string, numbers: ReadonlyMap<string, number>): readonly number[] | null {
  if (word.length > LONGEST_WORD) return null;
  const pieces: number[] = [];
  for (let from = 0; from < word.length;) {
    let to = word.length;
    let number: number | undefined;
    for (; to > from; to--) {
      number = numbers.get((from === 0 ? "" : "##") + word.slice(from, to));
      if (number !== undefined) break;
    }
    if (number === undefined) return null;
    pieces.push(number);
    from = to;
  }
  return pieces;
}
