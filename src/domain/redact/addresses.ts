import { matchSecret } from "./commands.ts";
import { isPlausiblePassword, isOpaque, UUID } from "./judge.ts";
import { type Secret, textBefore, matchAt } from "./detector.ts";

/** `//user:password@host`, `//token@host`. */
export function detectUrlCredentials(text: string, at: number): Secret | undefined {
  const match = matchAt(USER_INFO, text, at);
  if (match === null) return undefined;
  const [, user = "", password] = match;
  if (password === undefined) {
    if (user.length < 16 || !(isOpaque(user) || UUID.test(user))) return undefined;
    return { start: at + 3, end: at + 3 + user.length, rule: "url-password" };
  }
  // The usual example in manuals.
  if (
    /^[${<[*(]|^%(?![\dA-Fa-f]{2})|^x+$|\.\.\./i.test(password) ||
    (/^\w{0,12}$/.test(user) && !isPlausiblePassword(password))
  )
    return undefined;
  const start = at + 4 + user.length;
  return { start, end: start + password.length, rule: "url-password" };
}

const USER_INFO = /:\/\/([^\s:/?#@"'`<>\\(){}[\]|,]{0,256})(?::([^\s/?#@"'`<>\\]{1,256}))?@(?=[\w.[$-])/y;

/** A signed address grants access to whoever has it. */
export function detectSignature(text: string, at: number): Secret | undefined {
  if (!/[?&;,\s-]$|%26$|^$/.test(textBefore(text, at, 3))) return undefined;
  const match = matchAt(SIGNATURE, text, at);
  if (match === null) return undefined;
  const [, name = "", value = ""] = match;
  const hex = /^[0-9a-f]{32,}$/i.test(value);
  return hex || isOpaque(value.replaceAll(/%2[BF]|%3D/gi, "/")) || UUID.test(value)
    ? { start: at + name.length, end: SIGNATURE.lastIndex, rule: "signature" }
    : undefined;
}

const SIGNATURE = /((?:sig|signature|code|code_verifier)=)([\w%+/=.~-]{16,1024})/iy;

/** The pairs of a cookie: those that identify a session, and any random value. */
export function detectCookies(text: string, at: number): readonly Secret[] | undefined {
  const head = matchAt(COOKIE, text, at);
  if (head === null) return undefined;
  const found: Secret[] = [];
  let pair = COOKIE.lastIndex;
  for (let count = 0; count < 50; count++) {
    const match = matchAt(PAIR, text, pair);
    if (match === null) break;
    const [, name = "", value = ""] = match;
    const start = pair + match[0].length - match[3]!.length - value.length;
    const admits = SESSION.test(name)
      ? isPlausiblePassword(value) && value.length >= 6
      : isOpaque(value) || UUID.test(value);
    if (admits && !ATTRIBUTE.test(name) && !/^ey[JA]|\[redacted:/.test(value))
      found.push({ start, end: start + value.length, rule: "cookie" });
    pair = PAIR.lastIndex;
  }
  return found;
}

const COOKIE = /(?:(?:set-)?cookie["']?:|--cookie[ =]| -b[ \t])[ \t]{0,4}["']?(?=[\w.-]{1,60}=)/iy;
const PAIR = /[ \t]{0,4}([\w.-]{1,60})(?:=([^\s;"'\\,]{0,4096}))?(;|(?=["'\s\\]|$))/y;
const SESSION = /sess|sid$|auth|token|jwt|remember|login|secret|ticket/i;
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|secure|httponly|priority)$/i;

/** Cookies of well-known servers, also without a header. */
export function detectSessionCookie(text: string, at: number): Secret | undefined {
  return matchSecret(SESSION_COOKIE, text, at, "cookie");
}

const SESSION_COOKIE =
  /((?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid)["']?[=:][ \t]{0,2}["']?)([^\s;"'\\,&]{6,1024})/iy;
