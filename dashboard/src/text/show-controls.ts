/** Spells out characters that are not seen, or that change the order of others: a person must see what is there. */
export function showControls(text: string): string {
  return text.replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Joiners stay: emoji and some scripts need them. */
const hidden = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu;
