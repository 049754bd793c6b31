import { entropyOf, isPlaceholder, looksLikePassword } from "./judge.ts";
import type { Secret } from "./look.ts";

export function lookAtCurlUser(text: string, at: number): Secret | undefined {
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

export function lookAtPasswordFlag(text: string, at: number): Secret | undefined {
  return flagged(PASSWORD_FLAG, text, at, "password");
}

const PASSWORD_FLAG =
  /((?:sshpass|docker login)(?:[ \t][^\s|;&]{1,80}){0,6}?[ \t]-p[ =]?["']?)([^\s"'\\-][^\s"'\\]{2,200})/iy;

/** What the second group of a pattern takes, unless a manual would write it so. */
export function flagged(pattern: RegExp, text: string, at: number, rule: string): Secret | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null || isPlaceholder(match[2] ?? "") || WEAK_WORD.test(match[2] ?? "")) return undefined;
  return { start: at + (match[1] ?? "").length, end: pattern.lastIndex, rule };
}
