/** A range of text to replace. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** Tests one position. `at` is where the anchor starts, `from` where the last secret ended. */
export type SecretDetector = (text: string, at: number, from: number) => Secret | readonly Secret[] | undefined;

/** The end of a sticky pattern's match at `at`, or -1. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

const ESCAPE = "\x1b";
const COLOURS = `(?:${ESCAPE}\\[[\\d;]{0,12}m){0,3}`;

/** A pattern in which ¤ stands for terminal colour codes, and ␛ for the escape character. */
export function withColourCodes(pattern: RegExp): RegExp {
  // The bundler writes non-ASCII characters as escapes.
  const source = pattern.source
    .replaceAll("\\u00a4", COLOURS)
    .replaceAll("¤", COLOURS)
    .replaceAll("\\u241b", ESCAPE)
    .replaceAll("␛", ESCAPE);
  return new RegExp(source, pattern.flags);
}

/** At most `length` characters before this position. */
export function textBefore(text: string, at: number, length: number): string {
  return text.slice(Math.max(0, at - length), at);
}

/** Matches a sticky pattern at this position. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
