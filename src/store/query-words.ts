const MOST_WORDS = 100;
// PostgreSQL refuses a question whose word is longer than 2,046 bytes.
const LONGEST_WORD = 500;

/** The words of a question, each once; a pasted log asks for its first hundred. */
export function queryWords(query: string): readonly string[] {
  const words = query.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length <= LONGEST_WORD).slice(0, MOST_WORDS);
}
