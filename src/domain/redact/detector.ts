/** A stretch of text to replace. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** Looks at one place; `at` is where the anchor starts, `from` where the last secret ended. */
export type SecretDetector = (text: string, at: number, from: number) => Secret | readonly Secret[] | undefined;

/** Where a sticky pattern ends when it matches at `at`, else -1. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

const ESCAPE = "\x1b";
const COLOURS = `(?:${ESCAPE}\\[[\\d;]{0,12}m){0,3}`;

/** A pattern in which ¤ stands for colours of a terminal, and ␛ for the sign that begins one. */
export function withColourCodes(pattern: RegExp): RegExp {
  // The build writes signs beyond ASCII by their number.
  const source = pattern.source
    .replaceAll("\\u00a4", COLOURS)
    .replaceAll("¤", COLOURS)
    .replaceAll("\\u241b", ESCAPE)
    .replaceAll("␛", ESCAPE);
  return new RegExp(source, pattern.flags);
}

/** So many characters before this place. */
export function textBefore(text: string, at: number, length: number): string {
  return text.slice(Math.max(0, at - length), at);
}

/** What a sticky pattern finds at this place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
