/**
 * A text without what a terminal obeys: colours, cursor moves, titles, the clipboard. Single control characters that
 * remain, and those that change the order of others, are spelled out.
 */
export function toPlainText(text: string): string {
  return text
    .replaceAll(sequences, "")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Complete escape sequences: CSI; OSC, DCS, SOS, PM and APC with their text; the short ones. */
const sequences =
  // oxlint-disable-next-line no-control-regex -- these are the characters to find
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-Z\\`-~]/g;

/** Joiners stay: emoji and some scripts need them. */
const hidden = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu;
