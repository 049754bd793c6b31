import { judgeNamed, looksLikeCredential } from "./judge.ts";
import { endOf, type Secret } from "./look.ts";

/** Words that make a name worth judging; the providers' names come from the table of named rules. */
export const NAME_WORDS: readonly string[] = [
  "key",
  "token",
  "secret",
  "pass",
  "pwd",
  "auth",
  "cred",
  "connectionstring",
  "connection_string",
];

/** `name = value`, `"name": "value"`, `--name value`, `<name>value</name>` and their relatives. */
export function lookAtAssignment(text: string, at: number, from: number): Secret | undefined {
  const nameEnd = endOf(NAME_REST, text, at);
  if (nameEnd < 0) return undefined;
  const start = startOfName(text, at, from);
  let valueAt = endOf(ASSIGN, text, nameEnd);
  let nameStop = nameEnd;
  if (valueAt < 0) {
    const phraseEnd = endOf(PHRASE_REST, text, nameEnd);
    if (phraseEnd >= 0) {
      nameStop = phraseEnd;
      valueAt = endOf(PLAIN_ASSIGN, text, phraseEnd);
    } else if (text.startsWith("--", start)) valueAt = endOf(FLAG_GAP, text, nameEnd);
    if (valueAt < 0) return undefined;
  }
  const value = readValue(text, valueAt);
  if (value === undefined) return undefined;
  const name = text.slice(start, nameStop);
  const secret = text.slice(value.start, value.end);
  const rule = value.scheme && looksLikeCredential(secret) ? "authorization" : judgeNamed(name, secret);
  if (rule === undefined) return undefined;
  const end = value.end - value.start < MAX_VALUE ? value.end : Math.max(value.end, endOf(VALUE_REST, text, value.end));
  return { start: value.start, end, rule };
}

const MAX_VALUE = 512;
const NAME_REST = /[\w.-]{1,60}/y;
const PHRASE_REST = /(?:[ \t][A-Za-z][\w.-]{0,19}){1,2}(?=["']?[ \t]{0,4}[:=])/y;
const PLAIN_ASSIGN = /["']?[ \t]{0,4}(?::{1,3}=|=>|={1,3}|:)\s{0,10}/y;
// JSON, YAML, shells, most languages; `name … value` pairs of Kubernetes, NuGet and the like; XML elements.
const ASSIGN =
  /\\{0,3}["'`]?\]?\s{0,6}(?::\s{0,4}(?:string|str|&(?:'static )?str|String)\s{0,4}=|:{1,3}=|={1,3}>?|:(?!\/\/)|\?=|\|\|=?|>|,?\s{0,20}\\{0,3}["']?value\\{0,3}["']?\s{0,4}[:=]|,(?=\s{0,4}\\{0,3}["'`]))\s{0,10}=?\s{0,2}/y;
const FLAG_GAP = /[ \t]{1,4}(?!-)/y;
const SCHEME = /(?:basic|bearer|token|api-?token|api-?key|apikey|ssws|digest|oauth|key)[ \t]{1,4}/iy;
const QUOTE = /[bfru@$]{0,2}\\{0,3}(["'`])/y;
const QUOTED = {
  '"': /[^"\\\r\n]{1,512}/y,
  "'": /[^'\\\r\n]{1,512}/y,
  "`": /[^`\\\r\n]{1,512}/y,
} as const;
const BARE = /[^\s"'`,;<>(){}[\]|\\]{1,512}/y;
const VALUE_REST = /[^\s"'`,;<>\\]+/y;

interface Value {
  readonly start: number;
  readonly end: number;
  readonly scheme: boolean;
}

function readValue(text: string, at: number): Value | undefined {
  QUOTE.lastIndex = at;
  const quote = QUOTE.exec(text);
  const open = quote === null ? at : QUOTE.lastIndex;
  const afterScheme = endOf(SCHEME, text, open);
  const start = afterScheme < 0 ? open : afterScheme;
  const end = endOf(quote === null ? BARE : QUOTED[quote[1] as keyof typeof QUOTED], text, start);
  if (end < 0) return undefined;
  // An opening bracket after a bare word makes it a call or an index, not a value.
  if (quote === null && /[([{]/.test(text.charAt(end))) return undefined;
  const trimmed = quote === null ? trimEnd(text, start, end) : end;
  return { start, end: trimmed, scheme: afterScheme >= 0 };
}

function trimEnd(text: string, start: number, end: number): number {
  let stop = end;
  // An ellipsis belongs to the value: it says that the value is cut.
  if (text.startsWith("...", end - 3)) return end;
  while (stop > start && ".:!?&".includes(text.charAt(stop - 1))) stop--;
  return stop;
}

function startOfName(text: string, at: number, from: number): number {
  let start = at;
  while (start > from && at - start < 50 && isNameChar(text.charCodeAt(start - 1))) start--;
  // In JSON text a line break before the name reads as backslash and letter.
  if (start < at && text.charAt(start - 1) === "\\" && /[nrt]/.test(text.charAt(start))) start++;
  return start;
}

function isNameChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}

export function lookAtBearer(text: string, at: number): Secret | undefined {
  BEARER.lastIndex = at;
  const match = BEARER.exec(text);
  if (match === null || !looksLikeCredential(match[2] ?? "")) return undefined;
  return { start: at + (match[1] ?? "").length, end: BEARER.lastIndex, rule: "authorization" };
}

const BEARER = /(bearer[ \t]{1,4})([\w=~.+/-]{16,4096})/iy;
