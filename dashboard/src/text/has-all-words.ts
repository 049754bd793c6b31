/** True if each of the words occurs in one of the texts. */
export function hasAllWords(texts: readonly (string | null)[], words: string): boolean {
  const haystack = texts.join("\n").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
