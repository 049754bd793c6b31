import type { Delimiting } from "./judge.ts";
import { withColourCodes, matchEnd, matchAt } from "./detector.ts";

/** A value in a text, and how it is delimited. */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
  readonly delimiting: Delimiting;
  /** True if "Bearer", "Basic" or the like precedes it. */
  readonly scheme: boolean;
}

const SCHEME = /(?:basic|bearer|token|api-?token|api-?key|apikey|ssws|digest|oauth|key)[ \t]{1,4}(?![=:])/iy;
// String prefixes, and calls that only wrap a string.
const QUOTE =
  /(?:!!str )?(?:(?:\[\]byte|Buffer\.from|new String|String::from|Some|bytes|Secret(?:Str|String)?(?:::new|::from)?)\(\s{0,2})?[bfruNL@$]{0,2}(\\{0,3})(["'`])/y;
const QUOTED = {
  '"': /(?:[^"\\\r\n]|\\[^\r\n]){1,512}/y,
  "'": /(?:[^'\\\r\n]|\\[^\r\n]){1,512}/y,
  "`": /(?:[^`\\\r\n]|\\[^\r\n]){1,512}/y,
} as const;
/** In quoted text, a backslash precedes the quote that ends the value. */
const REQUOTED = {
  '"': /(?:[^"\\\r\n]|\\(?!\\{0,3}"|[nr]))[^"\\\r\n]{0,511}/y,
  "'": /(?:[^'\\\r\n]|\\(?!\\{0,3}'|[nr]))[^'\\\r\n]{0,511}/y,
  "`": /(?:[^`\\\r\n]|\\(?!\\{0,3}`|[nr]))[^`\\\r\n]{0,511}/y,
} as const;
// A `&` belongs to the value, unless a parameter, a command or an entity of HTML follows.
const OPEN = withColourCodes(/(?:[^\s"'`,;<>(){}[\]|\\&␛]|&(?![&#\s]|[\w.-]+[=;]|$)){1,512}/y);
const WIDE = withColourCodes(/(?:[^\s"'`\\␛]|\\(?![nrtu"'\\\\])){1,512}/y);
const REST = /[^\s"'`,;<>\\&]+/y;

/** Quotes written as entities or escapes. */
const ENTITY = /(&quot;|&apos;|&#0?3[49];|\\u002[27])([^\s"'`<>&\\]{1,512})\1/y;

/** Reads the string that starts here. */
export function readQuoted(text: string, at: number): ValueSpan | undefined {
  const quote = matchAt(QUOTE, text, at);
  if (quote === null) {
    const sign = matchAt(ENTITY, text, at)?.[1]?.length;
    return sign === undefined
      ? undefined
      : { start: at + sign, end: ENTITY.lastIndex - sign, delimiting: "quoted", scheme: false };
  }
  const open = QUOTE.lastIndex;
  const sign = quote[2] as keyof typeof QUOTED;
  const afterScheme = matchEnd(SCHEME, text, open);
  const start = afterScheme < 0 ? open : afterScheme;
  const end = matchEnd(quote[1] === "" ? QUOTED[sign] : REQUOTED[sign], text, start);
  if (end < 0) return undefined;
  const closed = text.startsWith(`${quote[1]}${sign}`, end);
  // A text may end or be cut before the closing quote; an unclosed value with spaces is not a value.
  if (!closed && /\s/.test(text.slice(start, end))) return undefined;
  return { start, end, delimiting: "quoted", scheme: afterScheme >= 0 };
}

/** Reads the word that starts here. */
export function readOpen(text: string, at: number): ValueSpan | undefined {
  const afterScheme = matchEnd(SCHEME, text, at);
  const start = afterScheme < 0 ? at : afterScheme;
  const end = matchEnd(OPEN, text, start);
  if (end < 0) return undefined;
  // An opening bracket after a bare word makes it a call or an index, not a value.
  if (/[([{]/.test(text.charAt(end))) return undefined;
  return { start, end: trimmed(text, start, end), delimiting: "open", scheme: afterScheme >= 0 };
}

/** Reads everything up to the next white space or quote, punctuation included. */
export function readWide(text: string, at: number): ValueSpan | undefined {
  const afterScheme = matchEnd(SCHEME, text, at);
  const start = afterScheme < 0 ? at : afterScheme;
  const end = matchEnd(WIDE, text, start);
  if (end < 0) return undefined;
  const next = text.slice(start, end).search(/&[\w.-]{1,40}=/);
  return { start, end: next < 0 ? end : start + next, delimiting: "alone", scheme: afterScheme >= 0 };
}

/** Like `readWide`, without closing brackets and punctuation at the end. */
export function readArgument(text: string, at: number): ValueSpan | undefined {
  const wide = readWide(text, at);
  if (wide === undefined) return undefined;
  const tail = /[)\]};,.]+$/.exec(text.slice(wide.start, wide.end))?.[0].length ?? 0;
  return { ...wide, end: wide.end - tail };
}

/** The actual end of a value that is longer than the patterns match. */
export function findWholeEnd(text: string, { start, end }: ValueSpan): number {
  return end - start < 512 ? end : Math.max(end, matchEnd(REST, text, end));
}

function trimmed(text: string, start: number, end: number): number {
  let stop = end;
  // An ellipsis belongs to the value: it shows that the value is cut.
  if (text.startsWith("...", end - 3)) return end;
  while (stop > start && ".:!?".includes(text.charAt(stop - 1))) stop--;
  return stop;
}
