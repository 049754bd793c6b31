import { isPlausiblePassword, looksConspicuous } from "./judge.ts";
import { withColourCodes, matchEnd, type Secret, textBefore, matchAt } from "./detector.ts";
import { readName } from "./names.ts";
import { asCertainName, judgeValue, isConspicuousValue } from "./name-span.ts";
import { readArgument, readQuoted, readWide, type ValueSpan } from "./value.ts";

const VALUE = /-?value\\{0,2}["']?(?:\s{0,4}[=:]\s{0,4}|[ \t]{1,3})/iy;
/** Places where a bare word is a value and not a variable: after a flag, in a form, in an address. */
const IN_COMMAND = /(?: -|--(?:[a-z]+-)?|(?:["'&?]|-[Fd] ?|--[a-z-]+[ =])v)$/i;
/** The end of a command, record or tag. */
const BORDER = /(?<![\\`^,][ \t]*)\r?\n|[|;] |&&|[{}<>]/;
const MEMBER =
  /(?:name|key|id|variable|type|parameter)\\{0,2}["']?(?:\s{0,4}[=:]\s{0,4}|[ \t]{1,3})\\{0,2}["']?([\w./:-]{2,80})/gi;
const SAYS_SECRET =
  /[a-z ]secrets?(?:manager)?(?= )|(?:secret|secure|sensitive|masked)["']?[=: ]{1,2}true|securestring/i;

/** `--name db-password --value V`, in either order: two members of one command, form or tag. */
export function detectNamedMember(text: string, at: number): Secret | undefined {
  const start = matchEnd(VALUE, text, at);
  if (start < 0) return undefined;
  const before = text
    .slice(Math.max(0, at - 240), at)
    .split(BORDER)
    .at(-1)!;
  const bare = IN_COMMAND.test(before + text.charAt(at)) && !/[:\s]["']$/.test(text.slice(at, start));
  const value = readQuoted(text, start) ?? (bare && text.charAt(start) !== "-" ? readArgument(text, start) : undefined);
  if (value === undefined) return undefined;
  const around = `${before} ${text.slice(value.end, value.end + 200).split(BORDER)[0]}`;
  const name = [...around.matchAll(MEMBER)]
    .map((match) => match[1]!)
    .find((one) => (readName(one).meaning?.sure ?? 0) > 1);
  if (name === undefined && !(bare && SAYS_SECRET.test(around))) return undefined;
  return judgeValue(asCertainName({ text, name: name ?? "password", start: at, end: start }), value);
}

const SHOWS =
  /(?:cat|type|less|more|head) (?:-\S{1,9} )?(\S{0,120}?)([\w-]{2,60})(?:\.(?:txt|conf|pw|key|pass))?\s{0,2}\n(?:[\w.@+-]{2,60}\s{0,2}\n(?=[^\s$#%>]\S{3,200}\s{0,2}(?:\n|$)))?/iy;

/** `$ cat auth-user-pass.txt`: an optional user and the value, each on its own line. */
export function detectShownFile(text: string, at: number): Secret | undefined {
  const [all = "", folder = "", name = ""] = matchAt(SHOWS, text, at) ?? [];
  const sure = /\/secrets?\/$/.test(folder) || (readName(name).meaning?.sure ?? 0) > 1;
  if (!sure || !/[$#%>] (?:sudo )?$/.test(textBefore(text, at, 8))) return undefined;
  // Both lines may be values.
  const first = at + all.indexOf("\n") + 1;
  const start = looksConspicuous(text.slice(first, at + all.length).trim()) ? first : at + all.length;
  const value = readWholeLine(text, start);
  return value === undefined ? undefined : takeValue(text, value);
}

const MESSAGE =
  /["'](?:auth\w{0,12}|log[io]n|sign_?in)\\{0,2}["']\s{0,4},\s{0,8}(?:[^{}\n]{0,60}?["'](?:(args|params)|data|payload)\\{0,2}["']:\s{0,4}\[?\s{0,8}\\{0,2})?(?:"[^"\n]{1,60}",\s{0,8}\\{0,2}){0,2}(?=\\{0,2}["'])/iy;

/** `{"op": "authenticate", "args": ["V"]}`, `["auth", "V"]`: login messages. */
export function detectLoginMessage(text: string, at: number): Secret | undefined {
  const match = matchAt(MESSAGE, text, at);
  const value = match === null ? undefined : readQuoted(text, MESSAGE.lastIndex);
  if (value === undefined || matchEnd(/\\{0,2}["']\s{0,8}[\]})]/y, text, value.end) < 0) return undefined;
  return match?.[1] !== undefined || isConspicuousValue(text, value) ? takeValue(text, value) : undefined;
}

/** A value in a place where only a secret can be, unless it looks like an example from a manual. */
export function takeValue(text: string, { start, end }: Pick<ValueSpan, "start" | "end">): Secret | undefined {
  return isPlausiblePassword(text.slice(start, end)) ? { start, end, rule: "password" } : undefined;
}

export const LINE_END = withColourCodes(/\\{0,3}["'`]?[,;)]?¤[ \t]*(?:$|\r?\n|\\n)/y);

/** The value that is alone on its line and is not an assignment itself. */
export function readWholeLine(text: string, at: number): ValueSpan | undefined {
  const quoted = readQuoted(text, at);
  const value = quoted ?? readWide(text, at);
  if (value === undefined || matchEnd(LINE_END, text, value.end) < 0) return undefined;
  const found = text.slice(value.start, value.end);
  return quoted === undefined && /^[-#/<}\])>|[{(]|[:,{([;]$|^[\w.-]+[=:](?!=*$)/.test(found) ? undefined : value;
}
