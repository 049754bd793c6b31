/** Texts into the numbers of their word pieces, as the model learned them: lower case, no accents, punctuation apart. */
export interface WordPieces {
  /** At most so many, without the marks at either end. */
  encode(text: string, most: number): number[];
}

export const BEGIN_TOKEN = 101;
export const END_TOKEN = 102;
const LONGEST_WORD = 100;

export function wordPieces(vocabulary: string): WordPieces {
  const numbers = new Map(vocabulary.split("\n").map((piece, number) => [piece.replace(/\r$/, ""), number]));
  const unknown = numbers.get("[UNK]") ?? 100;
  /** Words come again and again; cutting one up costs more than looking it up. */
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

/** No piece is shorter than a character, so more than a few characters for each are never read. */
function plain(text: string, most: number): string {
  return text
    .slice(0, most * LONGEST_WORD)
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}

const WORDS =
  /[\p{P}\p{S}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\s\p{P}\p{S}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+/gu;

/** The longest piece that fits, then the longest that goes on; null when some part is in no piece. */
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
