import { LINE_END, takeValue, readWholeLine } from "./split-pairs.ts";
import { looksConspicuous } from "./judge.ts";
import { withColourCodes, matchEnd, type Secret, textBefore } from "./detector.ts";
import { readName, type NameMeaning } from "./names.ts";
import { asCertainName, judgeValue, type NameSpan, isConspicuousValue } from "./name-span.ts";
import { readArgument, readQuoted, readWide, type ValueSpan } from "./value.ts";

/** A typed line: after the prompt of a shell or an interpreter, or in a log of commands. */
const TYPED = withColourCodes(
  /(?:^|\n|\\n)[ \t]{0,8}¤(?:[\w@.:~/\\()[\]-]{0,60} ?(?:[$%#]|>{1,3})¤[ \t]|##\[debug\]|In \[\d+\]: )[^\n]{0,160}$/,
);
/** Commands that print what they are asked for. */
const PRINTS =
  /\b(?:get|show|read|echo|print|printenv|output|access|reveal|decrypt|fetch|view|cat|field|find)\b|environ|\benv\b|>>? |irb|In \[|debug/i;
const REST_OF_LINE = /[^\r\n]{0,200}\r?\n(?:##\[\w{1,10}\])?(?:=> ?|Out\[\d+\]: ?)?[ \t]{0,4}(?=[^\s$>#%])/y;

/** True if the line of this name was typed, and another line follows. */
export function isTypedLine(text: string, at: number, end: number): boolean {
  return matchEnd(REST_OF_LINE, text, end) >= 0 && TYPED.test(textBefore(text, at, 240));
}

/** `$ vault read -field=password db`, followed by a line with only the value. */
export function detectPrintedValue(span: NameSpan): Secret | undefined {
  const { text, start, end } = span;
  const at = matchEnd(REST_OF_LINE, text, end);
  if (at < 0) return undefined;
  const typed = TYPED.exec(textBefore(text, start, 240));
  if (typed === null || !PRINTS.test(typed[0] + text.slice(start, at))) return undefined;
  const value = readWholeLine(text, at);
  return value === undefined ? undefined : judgeValue(asCertainName(span), value);
}

const BELOW = withColourCodes(/[*_:]{0,3}¤[ \t]*(?:\r?\n){1,2}[ \t]{0,8}[`"]?/y);
const REPLY =
  /[^\n?]{0,20}\?[^\n]{0,20}\r?\n[^\n]{0,40}?\b(?:its|it's|it is|is|use|try|:)[ \t]{1,3}(?=\S{6,200}[ \t]*(?:$|\r?\n))[`"]?/y;

/** A label with the value alone on the line below, or a question with its answer. */
export function detectValueBelow(span: NameSpan): Secret | undefined {
  const { text, start, end } = span;
  const below = matchEnd(BELOW, text, end);
  if (below >= 0 && !/(?:^|\n)[ \t>#*_-]{0,8}(?:[A-Za-z]{1,16} ){0,3}$/.test(textBefore(text, start, 60)))
    return undefined;
  const at = below >= 0 ? below : matchEnd(REPLY, text, end);
  const value = at < 0 ? undefined : readWholeLine(text, at);
  return isConspicuousValue(text, value) ? judgeValue(span, value) : undefined;
}

/** Not the marks around what oldhand quotes (domain/trust/quote.ts). */
const HERE_STRING = /<<<(?!oldhand [\da-f]{16})[ \t]{0,2}/y;
const PRINTED = /(?:echo|printf)[ \t]{1,3}(?:-\w{1,2}[ \t]|["']?%s(?:\\n)?["']?[ \t]){0,2}/y;
const PIPE = /\\?["']?[ \t]{0,3}\|[ \t]{0,3}([^\n|;]{1,200})/y;
/** Programs that only process text and store nothing. */
const READS_TEXT =
  /^(?:sudo )?(?:e?grep|rg|sed|awk|jq|yq|wc|cut|tr|sort|uniq|head|tail|tee|less|more|cat|xargs|base64|node|python3?|ruby|perl|od|xxd|\w+sum|bc|nc|while|read|bash|sh)\b/;

/** A value passed to a command that takes a secret: `echo V | gh secret set NAME`, `… NAME <<< V`. */
export function detectPipedValue(text: string, at: number): Secret | undefined {
  const hereStringEnd = matchEnd(HERE_STRING, text, at);
  if (hereStringEnd >= 0) {
    const command = /[^\n|;&]*$/.exec(textBefore(text, at, 200))?.[0] ?? "";
    return judgePipedValue(text, readQuoted(text, hereStringEnd) ?? readArgument(text, hereStringEnd), command);
  }
  const start = matchEnd(PRINTED, text, at);
  if (start < 0) return undefined;
  const value = readQuoted(text, start) ?? readPrinted(text, start);
  PIPE.lastIndex = value?.end ?? start;
  return judgePipedValue(text, value, PIPE.exec(text)?.[1] ?? "");
}

function readPrinted(text: string, at: number): ValueSpan | undefined {
  const value = readWide(text, at);
  const pipe = value === undefined ? -1 : text.slice(value.start, value.end).indexOf("|");
  return value === undefined || pipe < 0 ? value : { ...value, end: value.start + pipe };
}

function judgePipedValue(text: string, value: ValueSpan | undefined, command: string): Secret | undefined {
  if (value === undefined || command === "" || READS_TEXT.test(command)) return undefined;
  const expectsSecret =
    /-stdin\b|-S\b|\blogin\b/.test(command) ||
    (command.match(/[A-Za-z][\w-]{2,60}/g) ?? []).some((word) => (readName(word).meaning?.sure ?? 0) >= 2);
  if (!expectsSecret) return undefined;
  // `user:password` for chpasswd.
  const user = /chpasswd/.test(command) ? /^[\w.-]{1,40}:/.exec(text.slice(value.start, value.end)) : null;
  const start = value.start + (user?.[0].length ?? 0);
  return takeValue(text, { start, end: value.end });
}

const PAIR =
  /(?:cred(?:ential)?s|log ?in|(?:user(?:name)?|email|login) ?[/:+&] ?pass(?:word)?)["'`*)]{0,2}(?:,? (?:is|are|as|with|for [\w.-]{1,30}))?:?[ \t]{1,3}["'`]?[\w.@+-]{2,40}["'`]?(?: ?[/|:,] ?| and | with )["'`]?(?=[^\s"'`])/iy;

/** "creds: ada / V", "log in with ada:V". */
export function detectUserAndPassword(text: string, at: number): Secret | undefined {
  const start = matchEnd(PAIR, text, at);
  const value = start < 0 ? undefined : readArgument(text, start);
  return isConspicuousValue(text, value) ? { start: value.start, end: value.end, rule: "password" } : undefined;
}

const SPEAKS =
  /(?:(?:UGFzc3dvcmQ6|AUTH PLAIN)[ \t]*\r?\n(?:[CS]: |[<>*-]{1,4} ?)?(?:334[^\n]{0,4}\r?\n(?:[CS]: |[<>*-]{1,4} ?)?)?|(?:PASS|AUTH(?: PLAIN| LOGIN)?)[ \t]{1,2})["']?(?=[^\s"'])/y;
const SPOKEN_BEFORE = /\bUSER \S|(?:^|\n)\W{0,6}331\b|\+OK|\b(?:EHLO|HELO|NICK|AUTH)\b|:\d{4,5}(?:\[\d+\])?> |\b334\b/;

/** A client's login in a protocol: `PASS V` after `USER`, `AUTH V`, the lines of `AUTH LOGIN`. */
export function detectProtocolLogin(text: string, at: number): Secret | undefined {
  const start = matchEnd(SPEAKS, text, at);
  if (start < 0 || !SPOKEN_BEFORE.test(text.slice(Math.max(0, at - 300), at + 4))) return undefined;
  const value = readWide(text, start);
  if (value === undefined || matchEnd(LINE_END, text, value.end) < 0) return undefined;
  return takeValue(text, value);
}

const STRING = "[\"'][^\"'\\n]{1,80}[\"'](?:\\.\\w{1,12}\\(\\))?";
const POSITION = new RegExp(
  `(?:authenticat(?:ion|e)|auth|credentials?|log_?[io]n|sign_?in|create_?user|connect(?:ion)?|change_?password|basic)(?:(?:::|\\.)\\w{1,20})?\\(\\s{0,4}(?:(?:${STRING}|[\\w.]{1,30}),\\s{0,4}){1,4}b?(?=["'])`,
  "iy",
);

/** `new PasswordAuthentication("ada", "V")`: the last string of a login call. */
export function detectLoginArgument(text: string, at: number): Secret | undefined {
  const start = matchEnd(POSITION, text, at);
  const value = start < 0 ? undefined : readQuoted(text, start);
  if (value === undefined || matchEnd(/["'](?:\.\w{1,16}\(\))?\s{0,4}[),]/y, text, value.end) < 0) return undefined;
  // The last argument of a new user may be a role, that of a connection anything.
  if (/^c(?:reate|on)/i.test(text.slice(at, at + 6)) && !isConspicuousValue(text, value)) return undefined;
  return takeValue(text, value);
}

const COMMENTED = /(["'])([^"'\n]{6,200})\1[^"'\n]{0,40}(?:\/\/|#|--|\/\*)[ \t]{0,2}(?:[\w-]{1,16} ){0,4}$/;
const AS_BARE =
  /(?:^|\s)()([^\s"'`]{6,200}) (?:as|is) (?:(?:the|my|an?|our|your|new|current|admin|root|db|test) ){0,3}$/;

/** `"V"; // db password`, "use V as the password". */
export function detectValueBefore(span: NameSpan, { sure }: NameMeaning): Secret | undefined {
  const { text, start } = span;
  const last = text.charAt(start - 1);
  if (sure < 2 || last === "" || !" \t".includes(last)) return undefined;
  const before = textBefore(text, start, 260);
  for (const pattern of [COMMENTED, AS_BARE]) {
    const match = pattern.exec(before);
    const value = match?.[2];
    if (match === null || value === undefined || !looksConspicuous(value)) continue;
    const at = start - match[0].length + match[0].indexOf(value);
    return { start: at, end: at + value.length, rule: readName(span.name).meaning?.kind ?? "password" };
  }
  return undefined;
}
