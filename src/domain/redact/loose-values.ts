import { looksLikeCredential, looksConspicuous } from "./judge.ts";
import { withColourCodes, matchEnd, type Secret, textBefore, matchAt } from "./detector.ts";
import type { SecretKind, NameMeaning } from "./names.ts";
import { asCertainName, judgeValue, type NameSpan, startsLine, isConspicuousValue } from "./name-span.ts";
import { readArgument, readOpen, readQuoted, readWide, type ValueSpan } from "./value.ts";

/** Finds a value that no operator joins to its name: flags, SQL, calls, elements, tables and sentences. */
export function detectLooseValue(span: NameSpan, meaning: NameMeaning): Secret | undefined {
  const { text, end } = span;
  const next = text.charAt(end);
  if (next === "(") return inCall(span, meaning);
  if (next === ">" || next === "<" || next === '"' || next === "'" || next === "\\")
    return inElement(span) ?? detectDefaultValue(span) ?? afterSpace(span, meaning);
  return next === " " || next === "\t" || next === "`" || next === "*" ? afterSpace(span, meaning) : undefined;
}

const BACKWARDS = /\bas (?:the |my |an? )?$|[!=]==? ?$/;
const AS = /(["'`])([^"'`\r\n]{4,80})\1(?: as (?:the |my |an? )?| ?[!=]==? ?)$/;

/** "use `V` as the password", `"V" == password`. */
export function detectValueBehind(span: NameSpan): Secret | undefined {
  const { text, start } = span;
  if (!BACKWARDS.test(textBefore(text, start, 8))) return undefined;
  const match = AS.exec(textBefore(text, start, 96));
  if (match === null) return undefined;
  const end = start - match[0].length + 1 + match[2]!.length;
  return judgeValue(span, { start: end - match[2]!.length, end, delimiting: "quoted", scheme: false });
}

const ELEMENT =
  /((?:<\/([\w:]{1,20})|\\{0,2}["']?(?: [\w:]{1,20}="[^"<>\n]{0,40}"){0,2})>\s{0,40}(?:<([\w:]{1,20})(?: [^<>\n]{0,60})?>\s{0,20})?)([^<>\r\n]{1,512})<\//y;

const VALUE_TAG = /^(?:string|\w*value|data|dd|td|code)$/i;

function inElement(span: NameSpan): Secret | undefined {
  const match = matchAt(ELEMENT, span.text, span.end);
  if (match === null) return undefined;
  const [, before = "", closed, opened, within = ""] = match;
  const value = within.trimEnd();
  // The element after one that contains a name holds its value, or the next name.
  const beside = closed !== undefined && (opened === undefined || closed === opened || !VALUE_TAG.test(opened));
  if (beside && !looksConspicuous(value)) return undefined;
  const start = span.end + before.length;
  return judgeValue(span, { start, end: start + value.length, delimiting: "quoted", scheme: false });
}

const CALL = /\(\s{0,4}(?=["'`])/y;
const ASKS =
  /(?:^|[._\s])(?:get|has|is|find|check|validate|verify|hash|encrypt|decrypt|generate|create|parse|delete|remove|revoke|read|load|fetch|expect|require|lookup|describe|forgot|reset|test|it|invalid|missing)(?=[A-Z_.]|$)/;

/** `setPassword("value")`: setters, not getters. */
function inCall(span: NameSpan, { sure }: NameMeaning): Secret | undefined {
  const at = sure < 3 || ASKS.test(span.name) ? -1 : matchEnd(CALL, span.text, span.end);
  const value = at < 0 ? undefined : readQuoted(span.text, at);
  return value !== undefined && /^["'`]\s{0,4}\)/.test(span.text.slice(value.end, value.end + 6))
    ? judgeValue(span, value)
    : undefined;
}

const DEFAULT = /\\?["']?\s{0,4}:?\s{0,4}\{[^{}]{0,400}?\b(?:default|value)\\?["']?\s{0,10}[=:]\s{0,4}(?=\\?")/y;

/** A Terraform variable or output that contains its value. */
export function detectDefaultValue(span: NameSpan): Secret | undefined {
  const at = matchEnd(DEFAULT, span.text, span.end);
  return at < 0 ? undefined : judgeValue(span, readQuoted(span.text, at));
}

const LAST = /[A-Za-z]{5,30}(?=[.!]?(?:\s{0,4}$|\r?\n))/y;
const SAYS_HOW = /(?:ed|ing|able|ible|ly|ive|ous|ent|ant|ful|less|al|ic|ory|ary|word|en|t)$/i;

/** The last word of a sentence, unless it only describes the password. */
function readLast(text: string, at: number): ValueSpan | undefined {
  const end = matchEnd(LAST, text, at);
  return end < 0 || SAYS_HOW.test(text.slice(at, end))
    ? undefined
    : { start: at, end, delimiting: "alone", scheme: false };
}

function readSaid(text: string, at: number, kind: SecretKind): ValueSpan | undefined {
  const wide = readWide(text, at);
  if (isConspicuousValue(text, wide)) return { ...wide, delimiting: "quoted" };
  return (kind === "password" ? readLast(text, at) : undefined) ?? readOpen(text, at);
}

/** How a value is stored, between name and value in device configurations: `secret 5 V`, `auth sha V`. */
const HOW = /(?:(?:\d{1,2}|sha\d{0,3}|md5|aes|des|ascii(?:-text)?|hex|cipher|simple|plain(?:text)?)[ \t]{1,4}){1,3}/iy;
const GAP = withColourCodes(/["'`*]{0,2}[ \t]{1,20}(?:\|[ \t]{0,20}|│[ \t]{0,20})?¤/y);
const SAYS =
  /["'`*]{0,2}(?:[ \t](?:for|of|to|on|für|in|at)(?:[ \t][\w@./-]{1,30}){1,4}?)?[ \t](?:is|was|lautet|ist|=|(?:has been |was |is |will be )?(?:re)?set to|(?:has been |was )?changed to|will be)(?:[ \t]now)?:?[ \t]{1,4}/y;
/** "changed again, it's now V". */
const NOW = /(?:[ \t][a-z]{1,12}){0,4}[,;:.]? (?:now )?(?:it'?s|it is|now|is)(?: now| still)?:?[ \t]{1,3}[`"]?/y;
const SETS = /\b(?:config(?:ure)?\b[^\n|;&]{0,80}|(?:ENV|ARG|setenv|setx)[ \t]{1,4})$/;

function afterSpace(span: NameSpan, { kind, sure }: NameMeaning): Secret | undefined {
  const { text, start, end } = span;
  const nowAt = matchEnd(NOW, text, end);
  const now = nowAt < 0 ? undefined : readArgument(text, nowAt);
  if (isConspicuousValue(text, now)) return judgeValue(span, { ...now, delimiting: "quoted" });
  const says = matchEnd(SAYS, text, end);
  if (says >= 0) return judgeValue(span, readQuoted(text, says) ?? readSaid(text, says, kind));
  const near = matchEnd(GAP, text, end);
  if (near < 0) return undefined;
  const at = Math.max(near, matchEnd(HOW, text, near));
  const gap = text.slice(end, at);
  const quoted = readQuoted(text, at);
  if (gap.includes("|") || gap.includes("│")) return undefined;
  if (text.charAt(start) === "-" && !text.startsWith("-", at))
    return judgeValue(asCertainName(span), quoted ?? readArgument(text, at));
  const sets = SETS.test(textBefore(text, start, 90)) && !text.startsWith("-", at);
  if (quoted !== undefined) return sure === 3 || sets ? judgeValue(span, quoted) : undefined;
  const wide = readWide(text, at);
  if (sets || (wide !== undefined && at > near && isConspicuousValue(text, wide))) return judgeValue(span, wide);
  if (wide === undefined) return undefined;
  const ends = matchEnd(/[ \t]*(?:$|\r?\n)/y, text, wide.end) >= 0;
  if (ends && gap.length > 1 && startsLine(text, start)) return judgeValue(span, wide);
  // In a sentence, only what cannot be one of its words.
  const word = kind === "password" && sure === 3 ? readArgument(text, at) : undefined;
  if (isConspicuousValue(text, word)) return judgeValue(span, { ...word, delimiting: "quoted" });
  const open = readOpen(text, at);
  return open !== undefined && kind !== "key" && looksLikeCredential(text.slice(open.start, open.end))
    ? judgeValue(span, open)
    : undefined;
}
