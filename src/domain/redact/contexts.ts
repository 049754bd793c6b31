import { entropyOf, isPlaceholder, judgeNamed, looksLikeCredential, looksLikePassword } from "./judge.ts";

/** A stretch of text to replace. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
}

/** Looks at one place; `at` is where the anchor starts, `from` where the last secret ended. */
export type Look = (text: string, at: number, from: number) => Secret | readonly Secret[] | undefined;

/**
 * Secrets that only their surroundings give away. Anchors are lower case and match any case.
 * Every pattern is sticky and bounded, so that one look costs a constant at most.
 */
export const CONTEXT_RULES: readonly {
  readonly anchors: readonly string[];
  readonly look: Look;
}[] = [
  { anchors: ["-----begin"], look: lookAtPrivateKey },
  { anchors: ["private-lines:"], look: lookAtPuttyKey },
  { anchors: ["eyj", "eya"], look: lookAtJwt },
  { anchors: ["."], look: lookAtDiscordToken },
  { anchors: ["zxlk"], look: lookAtWrappedJwt },
  { anchors: ["://"], look: lookAtUrl },
  { anchors: [" -u", "--user", "-u "], look: lookAtCurlUser },
  { anchors: ["kind:"], look: lookAtKubernetesSecret },
  { anchors: [":_auth", ":_password"], look: lookAtNpmrc },
  { anchors: ["machine "], look: lookAtNetrc },
  { anchors: ["sshpass", "docker login"], look: lookAtPasswordFlag },
  { anchors: ["bearer "], look: lookAtBearer },
];

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

function lookAtPrivateKey(text: string, at: number): Secret | undefined {
  const start = endOf(PEM_HEADER, text, at);
  if (start < 0) return undefined;
  const ahead = text.slice(start, start + 32_768);
  const dashes = ahead.indexOf("-----");
  const closed = dashes >= 0 && ahead.startsWith("-----END", dashes);
  const end = closed ? start + dashes : endOf(KEY_LINES, text, start);
  if (end < 0) return undefined;
  const body = text.slice(start, end);
  if (body.includes("[redacted:") || body.replace(/\\[nr]|\s/g, "").length < 12) return undefined;
  // Code that builds or searches for a key has quotes between the markers; a key has none.
  if (closed && /["'`]\s*[+,;)]/.test(body) && !/[A-Za-z0-9+/]{40}/.test(body)) return undefined;
  return { start, end, rule: "private-key" };
}

const PEM_HEADER = /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/iy;
const KEY_LINES = /(?:(?:\r?\n|\\r\\n|\\n)[ \t]{0,16}[A-Za-z0-9+/=:][A-Za-z0-9+/=:,. -]{0,120}){1,400}/y;

function lookAtPuttyKey(text: string, at: number): Secret | undefined {
  const start = endOf(PUTTY_HEADER, text, at);
  const end = start < 0 ? -1 : endOf(BASE64_LINES, text, start);
  return end < 0 ? undefined : { start, end, rule: "private-key" };
}

const PUTTY_HEADER = /Private-Lines: \d{1,4}/y;
const BASE64_LINES = /(?:(?:\r?\n|\\r\\n|\\n)[A-Za-z0-9+/=]{16,128}){1,400}/y;

function lookAtJwt(text: string, at: number): Secret | undefined {
  if (at > 0 && /[\w-]/.test(text.charAt(at - 1)) && !/\\[nrt]$/.test(text.slice(at - 2, at))) return undefined;
  JWT.lastIndex = at;
  const match = JWT.exec(text);
  if (match === null) return undefined;
  const header = decode(match[1] ?? "").trim();
  return header.startsWith("{") && header.endsWith("}") ? { start: at, end: JWT.lastIndex, rule: "jwt" } : undefined;
}

const JWT = /(ey[JA][\w-]{8,8192})={0,2}\.(?:ey|ew)[\w/+-]{6,16384}={0,2}(?:\.[\w/+-]{0,4096}={0,2}){0,3}/y;

/** A JWT that was base64-encoded once more, as in Kubernetes secrets. */
function lookAtWrappedJwt(text: string, at: number): Secret | undefined {
  if (at > 0 && /[\w+/]/.test(text.charAt(at - 1))) return undefined;
  const end = endOf(WRAPPED_JWT, text, at);
  if (end < 0 || !/^eyJ[\w-]{8,}/.test(decode(text.slice(at, at + 120)))) return undefined;
  return { start: at, end, rule: "jwt" };
}

const WRAPPED_JWT = /ZXlK[\w+/-]{60,16384}={0,2}/y;

function decode(base64: string): string {
  return Buffer.from(base64, "base64url").toString("latin1");
}

/** Three parts without a literal of their own: the place is found by its two dots, seven apart. */
function lookAtDiscordToken(text: string, at: number, from: number): Secret | undefined {
  if (text.charCodeAt(at + 7) !== 46) return undefined;
  for (let start = at - 26; start <= at - 24; start++) {
    const end = start < from ? -1 : endOf(DISCORD, text, start);
    if (end >= 0 && entropyOf(text.slice(start, end)) > 3.5) return { start, end, rule: "discord-token" };
  }
  return undefined;
}

const DISCORD = /[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}/y;

function lookAtUrl(text: string, at: number): Secret | undefined {
  URL_PASSWORD.lastIndex = at;
  const match = URL_PASSWORD.exec(text);
  const password = match?.[2];
  if (password === undefined || /^[$%{<[*(]|^x+$|\.\.\./i.test(password)) return undefined;
  const user = match?.[1] ?? "";
  // The idiom of every manual.
  if (/^(?:user(?:name)?)?$/i.test(user) && /^pass(?:wd)?$/i.test(password)) return undefined;
  const start = at + 4 + user.length;
  return { start, end: start + password.length, rule: "url-password" };
}

const URL_PASSWORD = /:\/\/([^\s:/?#@"'`<>\\(){}[\]|,]{0,256}):([^\s/?#@"'`<>\\]{1,256})@(?=[\w.[$-])/y;

function lookAtCurlUser(text: string, at: number): Secret | undefined {
  CURL_USER.lastIndex = at;
  const match = CURL_USER.exec(text);
  if (match === null) return undefined;
  const pair = match[2] ?? match[3] ?? match[4] ?? "";
  const colon = pair.indexOf(":");
  if (colon < 0 || !/\bcurl\b/.test(text.slice(Math.max(0, at - 600), at))) return undefined;
  const pairStart = at + (match[1] ?? "").length;
  const password = pair.slice(colon + 1);
  if (password === "") {
    if (!looksLikePassword(pair.slice(0, colon))) return undefined;
    return { start: pairStart, end: pairStart + colon, rule: "curl-user" };
  }
  if (password.length < 3 || WEAK_WORD.test(password) || isPlaceholder(password) || entropyOf(pair) < 2)
    return undefined;
  return { start: pairStart + colon + 1, end: pairStart + pair.length, rule: "curl-user" };
}

const CURL_USER =
  /( {0,2}(?:-u|--user)(?:=|[ \t]{0,5})\\{0,2}["']?)(?:(?<=")([^"\\\n]{3,200})|(?<=')([^'\\\n]{3,200})|(?<!["'])([^\s"'`\\]{3,200}))/y;
const WEAK_WORD =
  /^(?:change(?:it|me)|pass(?:word|wd)?|pwd|pw|test|token|secret|key|user|y+|x+|\*+|api[_-]?(?:key|token))$/i;

/** Base64 values below `data:` of a manifest whose kind is Secret, before or after the kind. */
function lookAtKubernetesSecret(text: string, at: number, from: number): readonly Secret[] | undefined {
  if (endOf(KIND_SECRET, text, at) < 0) return undefined;
  const before = text.slice(Math.max(from, at - 2000), at);
  const start = at - before.length + Math.max(before.lastIndexOf("\n---"), before.lastIndexOf("kind:"), 0);
  const after = text.slice(at + 5, at + 6000);
  const stop = after.search(/\n---|\nkind:/);
  const manifest = text.slice(start, at + 5 + (stop < 0 ? after.length : stop));
  const data = /(?:^|\n)[ \t]*(?:data|stringData):[ \t]*\n/.exec(manifest);
  if (data === null) return undefined;
  const found: Secret[] = [];
  let line = data.index + data[0].length;
  for (let value = indentedValue(manifest, line); value !== undefined; value = indentedValue(manifest, line)) {
    if (value.secret !== undefined)
      found.push({
        start: start + value.at,
        end: start + value.at + value.secret.length,
        rule: "kubernetes-secret",
      });
    line = value.next;
  }
  return found;
}

function indentedValue(manifest: string, line: number) {
  DATA_LINE.lastIndex = line;
  const match = DATA_LINE.exec(manifest);
  if (match === null) return undefined;
  return { at: line + (match[1] ?? "").length, secret: match[2], next: DATA_LINE.lastIndex };
}

const KIND_SECRET = /kind:[ \t]{0,4}["']?Secret["']?(?=\s|$)/iy;
const DATA_LINE =
  /([ \t]{1,20}(?:[\w.-]{1,100}:[ \t]{0,4})?["']?)(?:([A-Za-z0-9+/]{10,4096}={0,3})["']?[ \t]*|[^\n]{0,4096})(?:\n|$)/y;

function lookAtNpmrc(text: string, at: number): Secret | undefined {
  NPMRC.lastIndex = at;
  const match = NPMRC.exec(text);
  if (
    match === null ||
    /^["']?\$|^</.test(match[2] ?? "") ||
    !/\/\/\S{3,200}$/.test(text.slice(Math.max(0, at - 200), at))
  )
    return undefined;
  const start = at + (match[1] ?? "").length;
  const end = NPMRC.lastIndex;
  return text.startsWith("[redacted:", start) ? undefined : { start, end, rule: "npm-token" };
}

const NPMRC = /(:_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}["']?)([^\s"'\\]{6,512})/y;

function lookAtNetrc(text: string, at: number): Secret | undefined {
  return flagged(NETRC, text, at, "netrc-password");
}

const NETRC = /(machine\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8})([^\s"'\\]{3,200})/iy;

function lookAtPasswordFlag(text: string, at: number): Secret | undefined {
  return flagged(PASSWORD_FLAG, text, at, "password");
}

const PASSWORD_FLAG =
  /((?:sshpass|docker login)(?:[ \t][^\s|;&]{1,80}){0,6}?[ \t]-p[ =]?["']?)([^\s"'\\-][^\s"'\\]{2,200})/iy;

function lookAtBearer(text: string, at: number): Secret | undefined {
  BEARER.lastIndex = at;
  const match = BEARER.exec(text);
  if (match === null || !looksLikeCredential(match[2] ?? "")) return undefined;
  return { start: at + (match[1] ?? "").length, end: BEARER.lastIndex, rule: "authorization" };
}

const BEARER = /(bearer[ \t]{1,4})([\w=~.+/-]{16,4096})/iy;

function flagged(pattern: RegExp, text: string, at: number, rule: string): Secret | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null || isPlaceholder(match[2] ?? "") || WEAK_WORD.test(match[2] ?? "")) return undefined;
  return { start: at + (match[1] ?? "").length, end: pattern.lastIndex, rule };
}

/** Where a sticky pattern ends when it matches at `at`, else -1. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
