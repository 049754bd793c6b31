import { isTypedLine, detectPrintedValue, detectValueBefore, detectValueBelow } from "./nearby-values.ts";
import { readWholeLine } from "./split-pairs.ts";
import { isOpaque, looksLikeCredential } from "./judge.ts";
import { withColourCodes, matchEnd, type Secret, textBefore, matchAt } from "./detector.ts";
import { isQualifier, readName } from "./names.ts";
import { asCertainName, judgeValue, type NameSpan, startsLine } from "./name-span.ts";
import { detectDefaultValue, detectLooseValue, detectValueBehind } from "./loose-values.ts";
import { detectTableCell } from "./tables.ts";
import { readArgument, readOpen, readQuoted, readWide, type ValueSpan } from "./value.ts";

/** Words that make a name worth judging. Names of providers are separate. */
export const NAME_WORDS: readonly string[] = [
  "key",
  "token",
  "secret",
  "pass",
  "pw",
  "psk",
  "auth",
  "cred",
  "salt",
  "signing",
  "unseal",
  "connectionstring",
  "connection_string",
];

/** `name = value`, `"name": "value"`, `--name value`, `<name>value</name>`, "the name is value" and similar forms. */
export function detectNamedValue(text: string, at: number, from: number): Secret | readonly Secret[] | undefined {
  const end = matchEnd(NAME_REST, text, at);
  if (end < 0) return undefined;
  // Most names are in sentences or code and hold no value.
  const idle =
    matchEnd(NOTHING, text, end) >= 0 && text.charAt(at - 1) !== "-" && !BACKWARDS.test(text.slice(at - 3, at));
  if (idle && !isTypedLine(text, at, end)) return undefined;
  const place = locateName({ text, at, from, end });
  if (place === undefined) return undefined;
  const { meaning, provider } = readName(place.name);
  if (meaning === undefined && provider === undefined) return undefined;
  if (idle) return meaning === undefined ? undefined : detectPrintedValue(place);
  const said = meaning === undefined ? undefined : (detectValueBehind(place) ?? detectValueBefore(place, meaning));
  if (said !== undefined) return said;
  const valueAt = matchEnd(ASSIGN, text, place.end);
  if (valueAt >= 0) return assigned(place, valueAt) ?? detectDefaultValue(place) ?? detectTableCell(place);
  const phraseEnd = matchEnd(PHRASE_REST, text, place.end);
  if (phraseEnd >= 0 && text.charAt(place.start) !== "-") return afterPhrase(place, phraseEnd);
  return meaning === undefined
    ? undefined
    : (detectLooseValue(place, meaning) ??
        detectTableCell(place) ??
        detectPrintedValue(place) ??
        detectValueBelow(place));
}

const NOTHING =
  /[;}/$#@~^+;]|<(?!\/\w)|&(?!quot;|#)|\)(?!\s{0,4}[vV][aA][lL])|\((?!\s{0,4}["'`])| (?!is |was |for |of |to |on |in |at |has |will |set |reset |changed |rotated |updated |sha\d* |md5 |aes |cipher |plain |simple |hex )(?:[a-z]{1,14}(?=[ .,;)])(?! [a-z.-]{1,19} ?[:=])|[&+{}<]|[([](?![^()[\]\n]{0,40}[)\]] ?[:?]))|\](?!\s{0,4}[=:])/y;
const BACKWARDS = /= $|==$|as $|he $/;
const NAME_REST = /[\w.-]{1,60}/y;
const PHRASE_REST =
  /(?:[ \t](?:[A-Za-z\d][\w.-]{0,19}|["'][^"'\n]{1,60}["']|[\w.+-]{1,30}@[\w.-]{1,40})){1,5}(?=["']?[ \t]{0,4}[:=])/y;
const PLAIN_ASSIGN = /["']?[ \t]{0,4}(?::{1,3}=|=>|={1,3}|:)[ \t]{0,10}/y;
// JSON, YAML, shells, most languages; `name … value` pairs of Kubernetes, NuGet and the like.
const ASSIGN = withColourCodes(
  /¤(?:&quot;|&#0?3[49];|\\u002[27]|\\{0,3}["'`*]{0,2})\]?¤(?: ?[([][^()[\]\n"'=]{0,40}[)\]](?=[:?]))?\s{0,6}(?::\s{0,4}(?:string|str|&(?:'static )?str|String)\s{0,4}=|:{1,3}=|!={1,2}|={1,3}>?|->|→|:-|:(?!\/\/|:)|\?=|\|\|=?|\?\?=?|(?:%22)?%3[AaDd](?:%22)?|(?:,?\s{0,20}\\{0,3}["']?\w{1,16}\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}(?:"[\w.-]{0,30}\\{0,3}"|\w{1,16})){0,3}?,?\s{0,20}\\{0,3}["']?\w{0,12}?[vV]al(?:ue)?\\{0,3}["']?\s{0,4}[:=]|,(?=\s{0,24}\\{0,3}["'`]))(?:[ \t]|\*\*|<\/\w{1,8}>(?:\s{0,20}<\w{1,8}>)?|␛\[[\d;]{0,12}m){0,14}=?[ \t]{0,2}/y,
);
const ENCODED = /[^\s"'`<>&\\%]{1,512}/y;
const NEXT_PARAMETER = /&(?:[\w.-]{1,40}=|\s|$)/y;
const LINE = /[^\r\n]{1,512}/y;
/** `passphrase: correct horse battery staple`, to the end of the line. */
const PLAIN_WORDS = /[a-z]{3,12}(?:[ -][a-z]{3,12}){3,11}(?=[ \t]{0,8}(?:$|\r?\n|\\n|["'`]))/y;
/** `auth = ("ada", "V")`. */
const SECOND = /[([]\s{0,4}["'][^"'\r\n]{0,80}["'],\s{0,4}(?=["'][^"'\r\n]{1,200}["']\s{0,4}[)\]])/y;
const BLOCK = /[|>][+-]?[ \t]*(?:\r?\n|\\n)([ \t]+)/y;
const NEXT_LINE = /(?:[ \t]*\\?\r?\n){1,2}[ \t]{0,24}/y;
const COLOUR = withColourCodes(/␛\[[\d;]{0,12}m/g);
const WHOLE_LINE = withColourCodes(/¤[ \t]*(?:$|\r?\n|\\r?\\n|\\?["'][,}\])]|[ \t]#|[ \t]\/\/)/y);
const ESCAPE_BEFORE = withColourCodes(/(?:␛|\\u001b|\\x1b|\\e|\\033)\[[\d;]{0,12}$/);

interface Hit {
  readonly text: string;
  readonly at: number;
  readonly from: number;
  readonly end: number;
}

function locateName({ text, at, from, end: nameEnd }: Hit): NameSpan | undefined {
  let end = nameEnd;
  while (end > at && ".-".includes(text.charAt(end - 1))) end--;
  let start = at;
  while (start > from && at - start < 50 && /[\w.-]/.test(text.charAt(start - 1))) start--;
  if (start < at) start = afterEscape(text, start);
  // Our own mark contains the name of a rule, which is not a name of a value.
  if (text.startsWith("[redacted:", start - 10)) return undefined;
  let name = text.slice(start, end);
  // "api key", "access token": the word before qualifies the name.
  if (LONE.test(name)) {
    const before = /(?:\[[\d;]{1,12}m)?([A-Za-z][\w-]{1,20})[ \t]$/.exec(text.slice(Math.max(from, start - 36), start));
    if (before !== null && isQualifier(before[1] ?? "")) {
      start -= (before[1] ?? "").length + 1;
      name = `${before[1]} ${name}`;
    }
  }
  return { text, name, start, end };
}

const LONE = /^(?:keys?|tokens?|phrase|auth|salt)$/i;

/**
 * Skips an escape before the name: in quoted text a line break is a backslash and a letter, an encoded character is a
 * number, and a colour code ends with a letter.
 */
function afterEscape(text: string, start: number): number {
  const before = text.charAt(start - 1);
  if (before === "\\" && /[nrt]/.test(text.charAt(start))) return start + 1;
  if (before === "%" && /^[\da-f]{2}/i.test(text.slice(start, start + 2))) return start + 2;
  if (before === "[" || before === ";") {
    const colour = /^\d{1,3}m/.exec(text.slice(start, start + 4));
    if (colour !== null && ESCAPE_BEFORE.test(textBefore(text, start, 20))) return start + colour[0].length;
  }
  return start;
}

function assigned(span: NameSpan, valueAt: number): Secret | undefined {
  const { text, end } = span;
  const glue = text.slice(end, valueAt).replaceAll(COLOUR, "");
  if (/%3[AaDd]/.test(glue)) return inAddress(span, valueAt);
  const quoted = readQuoted(text, valueAt);
  if (quoted !== undefined)
    return /,[ \t]*$/.test(glue) && !isPair(span, quoted) ? inList(span, quoted) : judgeValue(span, quoted);
  const second = matchEnd(SECOND, text, valueAt);
  if (second >= 0) return judgeValue({ ...span, name: "password" }, readQuoted(text, second));
  // A comparison with, or a default from, a variable.
  if (/[|?]|[!=]=|,/.test(glue) && !/val(?:ue)?["']?\s*[:=]/i.test(glue)) return undefined;
  const block = matchAt(BLOCK, text, valueAt);
  if (block !== null) return inBlock(span, BLOCK.lastIndex, block[1] ?? "");
  const nextLine = matchEnd(NEXT_LINE, text, valueAt);
  if (nextLine >= 0) return onNextLine(span, nextLine);
  return unquoted(span, valueAt, glue);
}

function unquoted(span: NameSpan, valueAt: number, glue: string): Secret | undefined {
  const { text, start } = span;
  const words = /passphrase$/i.test(span.name) ? matchEnd(PLAIN_WORDS, text, valueAt) : -1;
  if (words >= 0) return judgeValue(span, { start: valueAt, end: words, delimiting: "quoted", scheme: false });
  const open = readOpen(text, valueAt);
  const before = text.charAt(start - 1);
  const behind = open === undefined ? "" : text.charAt(open.end);
  if (text.charAt(start) === "-" || glue.includes(":-"))
    return judgeValue(asCertainName(span), readArgument(text, valueAt));
  if (/[?&]/.test(before) || (behind === "&" && matchEnd(NEXT_PARAMETER, text, open!.end) >= 0))
    return judgeValue(asCertainName(span), parameterOf(text, open));
  if (before === "=" && span.name === "key") return undefined;
  // arn:…:secret:name
  if (before === ":" && glue === ":") return undefined;
  const wide = readWide(text, valueAt);
  if (wide !== undefined && /["']/.test(before) && text.charAt(wide.end) === before) return judgeValue(span, wide);
  if (startsLine(text, start) || /val/i.test(glue) || follows(text, start)) {
    if (wide !== undefined && matchEnd(WHOLE_LINE, text, wide.end) >= 0 && !isInCode(span, wide))
      return judgeValue(span, wide);
  }
  // user=ada password=word host=h, Server=h;Password=word;
  const tight = /^\W?=$|val(?:ue)?=$/i.test(glue) && /^[\s;]?$/.test(before) && (behind === "" || /[\s;]/.test(behind));
  return judgeValue(
    span,
    open !== undefined && tight && open.end - open.start > 4 ? { ...open, delimiting: "alone" } : open,
  );
}

/** In a list of names, the next string is another name, unless it is opaque. */
function inList(span: NameSpan, value: ValueSpan): Secret | undefined {
  return isOpaque(span.text.slice(value.start, value.end)) ? judgeValue(span, value) : undefined;
}

/** True if no code precedes the name on its line: "my acme api key: V", a time and a level in a log. */
function follows(text: string, start: number): boolean {
  const words = /(?:^|\n)([^\n{}();=,"'`<|]{1,90}[ \t.])$/.exec(textBefore(text, start, 100))?.[1];
  return words !== undefined && !CODE_WORD.test(words);
}

const CODE_WORD =
  /\b(?:const|let|var|val|final|static|private|public|protected|readonly|return|def|fn|func|auto|mut|string|String|char|int|type|if|elif|else|when|case|assert|export|import|from|new|await|not|and|or|in)\b/;

function parameterOf(text: string, open: ValueSpan | undefined): ValueSpan | undefined {
  if (open === undefined) return undefined;
  const hash = text.slice(open.start, open.end).search(/[#&]/);
  return { ...open, end: hash < 0 ? open.end : open.start + hash, delimiting: "alone" };
}

/** `token%3DV%26`: ends at the next encoded character. */
function inAddress(span: NameSpan, at: number): Secret | undefined {
  const end = matchEnd(ENCODED, span.text, at);
  return end < 0 ? undefined : judgeValue(asCertainName(span), { start: at, end, delimiting: "alone", scheme: false });
}

function inBlock(span: NameSpan, at: number, indent: string): Secret | undefined {
  const { text } = span;
  let end = matchEnd(LINE, text, at);
  const found = end < 0 ? undefined : judgeValue(span, { start: at, end, delimiting: "quoted", scheme: false });
  if (found === undefined) return undefined;
  for (let line = 0; line < 50 && text.startsWith(`\n${indent}`, end); line++) {
    const next = matchEnd(LINE, text, end + 1 + indent.length);
    if (next < 0) break;
    end = next;
  }
  return { ...found, end };
}

/** A value on the line below its name must be alone there and must not be an assignment itself. */
function onNextLine(span: NameSpan, at: number): Secret | undefined {
  const value = readWholeLine(span.text, at);
  return value?.delimiting === "alone" && span.text.charAt(span.end) === '"' ? undefined : judgeValue(span, value);
}

function afterPhrase(span: NameSpan, phraseEnd: number): Secret | undefined {
  const { text, start, end, name } = span;
  const valueAt = matchEnd(PLAIN_ASSIGN, text, phraseEnd);
  if (valueAt < 0) return undefined;
  const phrase = text.slice(end, phraseEnd);
  const meant = /^ (?:for|of|to|is|on|in|at|from)\b/.test(phrase) ? name : `${name}${phrase}`;
  return assigned({ text, start, end: phraseEnd, name: meant }, valueAt);
}

/**
 * `define("NAME", "value")`, `flag.String("name", "value", "what for")`: a call with two strings and an optional
 * description.
 */
function isPair({ text, start }: NameSpan, value: ValueSpan): boolean {
  const call = /(\w*)\(\s{0,4}\\{0,3}["']$/.exec(textBefore(text, start, 30));
  const next = /^\\{0,3}["'`]\s{0,4}([),])/.exec(text.slice(value.end, value.end + 10))?.[1];
  return (
    call !== null &&
    (next === ")" || (next === "," && /^(?:String|StringVar|option|define|getenv|env|set|put)$/i.test(call[1] ?? "")))
  );
}

/** True if the lines around are lists of members or arguments, so that a bare word is a variable. */
function isInCode({ text, name, start }: NameSpan, value: ValueSpan): boolean {
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return false;
  if (/[,;{(]$/.test(text.slice(value.start, value.end))) return true;
  if (/^[^\n]{0,80}\n\s{0,40}[}\])]/.test(text.slice(value.end, value.end + 130))) return true;
  return /[,{([]\s{0,40}$/.test(textBefore(text, start, 44));
}

export function detectBearer(text: string, at: number): Secret | undefined {
  const match = matchAt(BEARER, text, at);
  if (match === null || !looksLikeCredential(match[2]!)) return undefined;
  return { start: at + match[1]!.length, end: BEARER.lastIndex, rule: "authorization" };
}

const BEARER = /(bearer[ \t]{1,4})([\w=~.+/-]{16,4096})/iy;
