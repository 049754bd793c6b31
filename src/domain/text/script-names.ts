/**
 * True if two names of scripts have a word in common, whole or at the end of a longer one: `lint` and `lint:all`,
 * `typecheck` and `check:types`.
 */
export function shareScriptWord(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return a.some((word) => b.some((more) => isPartOf(word, more) || isPartOf(more, word)));
}

function wordsOf(name: string): readonly string[] {
  return name.split(/[^A-Za-z0-9]+/).map((word) => word.toLowerCase().replace(/s$/, ""));
}

function isPartOf(word: string, longer: string): boolean {
  return word.length >= 4 && (longer.startsWith(word) || longer.endsWith(word));
}
