import { isGivenPassword, standsOut } from "./judge.ts";
import { coloured, endOf, type Secret, textBefore, matchAt } from "./look.ts";
import { knownName } from "./names.ts";
import { certain, judge, standsApart } from "./place.ts";
import { readArgument, readQuoted, readWide, type Value } from "./value.ts";

const VALUE = /-?value\\{0,2}["']?(?:\s{0,4}[=:]\s{0,4}|[ \t]{1,3})/iy;
/** Where a bare word is a value and no variable: after a flag, in a form, in an address. */
const IN_COMMAND = /(?: -|--(?:[a-z]+-)?|(?:["'&?]|-[Fd] ?|--[a-z-]+[ =])v)$/i;
/** Where one command, one record or one tag ends. */
const BORDER = /(?<![\\`^,][ \t]*)\r?\n|[|;] |&&|[{}<>]/;
const MEMBER =
  /(?:name|key|id|variable|type|parameter)\\{0,2}["']?(?:\s{0,4}[=:]\s{0,4}|[ \t]{1,3})\\{0,2}["']?([\w./:-]{2,80})/gi;
const SAYS_SECRET =
  /[a-z ]secrets?(?:manager)?(?= )|(?:secret|secure|sensitive|masked)["']?[=: ]{1,2}true|securestring/i;

/** `--name db-password --value V`, in either order: two members of one command, one form or one tag. */
export function lookAtMember(text: string, at: number): Secret | undefined {
  const start = endOf(VALUE, text, at);
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
    .find((one) => (knownName(one).meaning?.sure ?? 0) > 1);
  if (name === undefined && !(bare && SAYS_SECRET.test(around))) return undefined;
  return judge(certain({ text, name: name ?? "password", start: at, end: start }), value);
}

const SHOWS =
  /(?:cat|type|less|more|head) (?:-\S{1,9} )?(\S{0,120}?)([\w-]{2,60})(?:\.(?:txt|conf|pw|key|pass))?\s{0,2}\n(?:[\w.@+-]{2,60}\s{0,2}\n(?=[^\s$#%>]\S{3,200}\s{0,2}(?:\n|$)))?/iy;

/** `$ cat auth-user-pass.txt`: the user, if any, and the value, each on its line. */
export function lookAtShown(text: string, at: number): Secret | undefined {
  const [all = "", folder = "", name = ""] = matchAt(SHOWS, text, at) ?? [];
  const sure = /\/secrets?\/$/.test(folder) || (knownName(name).meaning?.sure ?? 0) > 1;
  if (!sure || !/[$#%>] (?:sudo )?$/.test(textBefore(text, at, 8))) return undefined;
  // Two lines may be two values.
  const first = at + all.indexOf("\n") + 1;
  const start = standsOut(text.slice(first, at + all.length).trim()) ? first : at + all.length;
  const value = wholeLine(text, start);
  return value === undefined ? undefined : taken(text, value);
}

const MESSAGE =
  /["'](?:auth\w{0,12}|log[io]n|sign_?in)\\{0,2}["']\s{0,4},\s{0,8}(?:[^{}\n]{0,60}?["'](?:(args|params)|data|payload)\\{0,2}["']:\s{0,4}\[?\s{0,8}\\{0,2})?(?:"[^"\n]{1,60}",\s{0,8}\\{0,2}){0,2}(?=\\{0,2}["'])/iy;

/** `{"op": "authenticate", "args": ["V"]}`, `["auth", "V"]`: what a message says to be let in. */
export function lookAtMessage(text: string, at: number): Secret | undefined {
  const match = matchAt(MESSAGE, text, at);
  const value = match === null ? undefined : readQuoted(text, MESSAGE.lastIndex);
  if (value === undefined || endOf(/\\{0,2}["']\s{0,8}[\]})]/y, text, value.end) < 0) return undefined;
  return match?.[1] !== undefined || standsApart(text, value) ? taken(text, value) : undefined;
}

/** What stands where only a secret would, unless a manual would write it so. */
export function taken(text: string, { start, end }: Pick<Value, "start" | "end">): Secret | undefined {
  return isGivenPassword(text.slice(start, end)) ? { start, end, rule: "password" } : undefined;
}

export const LINE_END = coloured(/\\{0,3}["'`]?[,;)]?¤[ \t]*(?:$|\r?\n|\\n)/y);

/** The only thing on its line, naming nothing itself. */
export function wholeLine(text: string, at: number): Value | undefined {
  const quoted = readQuoted(text, at);
  const value = quoted ?? readWide(text, at);
  if (value === undefined || endOf(LINE_END, text, value.end) < 0) return undefined;
  const found = text.slice(value.start, value.end);
  return quoted === undefined && /^[-#/<}\])>|[{(]|[:,{([;]$|^[\w.-]+[=:](?!=*$)/.test(found) ? undefined : value;
}
