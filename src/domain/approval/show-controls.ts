/**
 * Spells out characters that a terminal obeys instead of showing, and those that change the order of others: a person
 * must see what would be done.
 */
export function showControls(text: string): string {
  return text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu;
