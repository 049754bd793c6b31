import { entropyOf } from "./judge.ts";
import { matchEnd, type Secret, matchAt } from "./detector.ts";

export function detectPrivateKey(text: string, at: number): Secret | undefined {
  const start = matchEnd(PEM_HEADER, text, at);
  if (start < 0) return undefined;
  const ahead = text.slice(start, start + 32_768);
  const dashes = ahead.indexOf("-----");
  const closed = dashes >= 0 && ahead.startsWith("-----END", dashes);
  const end = closed ? start + dashes : matchEnd(KEY_LINES, text, start);
  if (end < 0) return undefined;
  const body = text.slice(start, end);
  if (body.includes("[redacted:") || body.replace(/\\[nr]|\s/g, "").length < 12) return undefined;
  // Code that builds or searches for a key has quotes between the markers; a key has none.
  if (closed && /["'`]\s*[+,;)]/.test(body) && !/[A-Za-z0-9+/]{40}/.test(body)) return undefined;
  return { start, end, rule: "private-key" };
}

const PEM_HEADER = /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/iy;
// Also quoted, commented, in a diff or with line numbers.
const KEY_LINES =
  /(?:(?:\r?\n|\\r\\n|\\n)(?:[ \t]{0,16}|[ \t]{0,4}(?:[>#+|*]|\d{1,5}[:\t→|])[ \t]{0,4})[A-Za-z0-9+/=:][A-Za-z0-9+/=:,. -]{0,120}){1,400}/y;

/** The end of a key whose beginning was cut off. */
export function detectKeyEnd(text: string, at: number, from: number): Secret | undefined {
  if (matchEnd(PEM_END, text, at) < 0) return undefined;
  let start = at;
  for (let line = lineBefore(text, at, from); line !== undefined; line = lineBefore(text, line, from)) start = line;
  const body = text.slice(start, at);
  return /[A-Za-z0-9+/]{32}/.test(body)
    ? { start, end: at - (/\s*[>#+|*\s]*$/.exec(body)?.[0].length ?? 0), rule: "private-key" }
    : undefined;
}

/** The start of the key line that ends at this position. */
function lineBefore(text: string, at: number, from: number): number | undefined {
  const line = KEY_LINE.exec(text.slice(Math.max(from, at - 160), at))?.[1];
  return line === undefined ? undefined : at - line.length;
}

const KEY_LINE = /(?:^|\n|\\n|[ >#+|*])([A-Za-z0-9+/=]{4,128}[ \t\r]{0,4}(?:\n|\\n)[ \t>#+|*]{0,8})$/;
const PEM_END = /-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/y;

/** The words of a wallet, after a label that says so. */
export function detectMnemonic(text: string, at: number): Secret | undefined {
  const match = matchAt(MNEMONIC, text, at);
  if (match === null) return undefined;
  const start = at + match[1]!.length;
  return { start, end: MNEMONIC.lastIndex, rule: "mnemonic" };
}

const MNEMONIC =
  /((?:mnemonic|(?:seed|recovery|backup|secret)[ _-]?(?:phrase|words?)?|phrase)\\?["'`*]{0,2}\s{0,4}(?::=|[:=]|is|was)?\s{0,4}\\?["'`]?)(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}(?![a-z])/iy;

export function detectPuttyKey(text: string, at: number): Secret | undefined {
  const start = matchEnd(PUTTY_HEADER, text, at);
  const end = start < 0 ? -1 : matchEnd(BASE64_LINES, text, start);
  return end < 0 ? undefined : { start, end, rule: "private-key" };
}

const PUTTY_HEADER = /Private-Lines: \d{1,4}/y;
const BASE64_LINES = /(?:(?:\r?\n|\\r\\n|\\n)[A-Za-z0-9+/=]{16,128}){1,400}/y;

export function detectJwt(text: string, at: number): Secret | undefined {
  if (at > 0 && /[\w-]/.test(text.charAt(at - 1)) && !/\\[nrt]$/.test(text.slice(at - 2, at))) return undefined;
  const match = matchAt(JWT, text, at);
  if (match === null) return undefined;
  const header = decode(match[1]!).trim();
  return header.startsWith("{") && header.endsWith("}") ? { start: at, end: JWT.lastIndex, rule: "jwt" } : undefined;
}

const JWT = /(ey[JA][\w-]{8,8192})={0,2}\.(?:ey|ew)[\w/+-]{6,16384}={0,2}(?:\.[\w/+-]{0,4096}={0,2}){0,3}/y;

/** A JWT that was base64-encoded once more, as in Kubernetes secrets. */
export function detectWrappedJwt(text: string, at: number): Secret | undefined {
  if (at > 0 && /[\w+/]/.test(text.charAt(at - 1))) return undefined;
  const end = matchEnd(WRAPPED_JWT, text, at);
  if (end < 0 || !/^eyJ[\w-]{8,}/.test(decode(text.slice(at, at + 120)))) return undefined;
  return { start: at, end, rule: "jwt" };
}

const WRAPPED_JWT = /ZXlK[\w+/-]{60,16384}={0,2}/y;

function decode(base64: string): string {
  return Buffer.from(base64, "base64url").toString("latin1");
}

/** Three parts without a fixed prefix: found by two dots that are seven characters apart. */
export function detectDiscordToken(text: string, at: number, from: number): Secret | undefined {
  if (text.charCodeAt(at + 7) !== 46) return undefined;
  for (let start = at - 26; start <= at - 24; start++) {
    const end = start < from ? -1 : matchEnd(DISCORD, text, start);
    if (end >= 0 && entropyOf(text.slice(start, end)) > 3.5) return { start, end, rule: "discord-token" };
  }
  return undefined;
}

const DISCORD = /[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}/y;
