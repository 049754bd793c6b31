import { entropyOf, isPlausiblePassword, looksLikePassword, looksConspicuous } from "./judge.ts";
import { type Secret, textBefore, matchAt } from "./detector.ts";

/**
 * Flags after which programs take a password, with those programs. `*` marks programs that take it only without a
 * space.
 */
const FLAGS: Readonly<Record<string, string>> = {
  "-p": "sshpass|(?:docker|podman|buildah|nerdctl|skopeo|helm|oc|cf|az|registry)\\b.*\\blogin|mongo\\w*|twine|cqlsh|evil-winrm|psexec\\S*|rabbitmqadmin|xfreerdp|arangosh|influx|plink|hydra",
  "-p*": "(?:mysql|mariadb)\\w*(?:-\\w+)?|7za?",
  "-P": "sqlcmd|bcp|isql|tsql|mosquitto_[ps]ub|unzip|zip|zipcloak|ipmitool|pgadmin",
  "-a": "(?:redis|valkey|keydb)-cli",
  "-w": "ldap\\w+|wpa_cli",
  "-k": "openssl",
};
/** The same if the password comes with its user: `user:password`, `user%password`, `user,password`. */
const USER_FLAGS: Readonly<Record<string, string>> = {
  "-a": "https?|xh",
  "-U": "smbclient|rpcclient|net|smbmap",
  "-u": "lftp|ncftp|wget",
};

const FLAG =
  /[ \t](-[pPawkuU])(=|[ \t]{1,3}|)(["']?)(?:(?<=["'])([^"'\r\n]{3,200})(?=["'])|(?<!["'])([^\s"'\\|&;<>()-][^\s"'\\|&;<>()]{2,200}))/y;

/** `-p password` and the like mean something else for every program that is not listed. */
export function detectFlagPassword(text: string, at: number): Secret | undefined {
  const match = matchAt(FLAG, text, at);
  if (match === null) return undefined;
  const [, flag = "", gap = "", , quoted, bare] = match;
  const value = quoted ?? bare ?? "";
  const command = /[^\n|;&]*$/.exec(textBefore(text, at, 300))?.[0] ?? "";
  const runs = (programs: string | undefined) => programs !== undefined && patternOf(programs).test(command);
  const end = FLAG.lastIndex;
  if (runs(USER_FLAGS[flag])) {
    const split = value.search(/[:%,]/);
    const password = value.slice(split + 1);
    return split < 1 || !isPlausiblePassword(password)
      ? undefined
      : { start: end - password.length, end, rule: "password" };
  }
  // With a user name beside it, the flag takes a password in any program, if the value is not a port or a path.
  const beside =
    /^-[pP]$/.test(flag) &&
    gap !== "" &&
    (/ (?:-[uU]|--user(?:name)?)[ =]?\w/.test(command) ||
      /passw|passphrase|\blog ?in\b/i.test(command + text.slice(end, end + 120))) &&
    looksConspicuous(value);
  const known = gap === "" ? runs(FLAGS[`${flag}*`]) || runs(FLAGS[flag]) : runs(FLAGS[flag]);
  if (!(known || beside) || !isPlausiblePassword(value)) return undefined;
  return { start: end - value.length, end, rule: "password" };
}

const patterns = new Map<string, RegExp>();

function patternOf(programs: string): RegExp {
  const pattern = patterns.get(programs) ?? new RegExp(`(?:^|[\\s/"'\`(=])(?:${programs})(?=\\s|$)`);
  patterns.set(programs, pattern);
  return pattern;
}

/** `curl -u user:password`. */
export function detectCurlUser(text: string, at: number): Secret | undefined {
  const match = matchAt(CURL_USER, text, at);
  if (match === null) return undefined;
  const pair = match[2] ?? match[3] ?? match[4] ?? "";
  const colon = pair.indexOf(":");
  if (colon < 0 || !/\bcurl\b/.test(textBefore(text, at, 600))) return undefined;
  const pairStart = at + match[1]!.length;
  const quote = pair.charAt(colon + 1) === "'" ? 1 : 0;
  const password = pair.slice(colon + 1 + quote);
  if (password === "") {
    if (!looksLikePassword(pair.slice(0, colon))) return undefined;
    return { start: pairStart, end: pairStart + colon, rule: "curl-user" };
  }
  if (!isPlausiblePassword(password) || /^<.*>$|:(?:changeit|user)$/i.test(pair) || entropyOf(pair) < 2)
    return undefined;
  return { start: pairStart + colon + 1 + quote, end: pairStart + pair.length, rule: "curl-user" };
}

const CURL_USER =
  /( {0,2}(?:-u|--user)(?:=|[ \t]{0,5})\\{0,2}["']?)(?:(?<=")([^"\\\n]{3,200})|(?<=')([^'\\\n]{3,200})|(?<!["'])([^\s"'`\\:]{1,80}:(?=')'[^'\n]{3,200}|[^\s"'`\\]{3,200}))/y;

const TEXT = "[^\"'\\r\\n]{3,200}";
const WORD = "[^\\s\"'-][^\\s\"']{2,200}";
const STRING = "\\s{0,4}b?[\"']";
const ENDING = "(?:secret(?:=true)?|pwd?|pass\\w{0,9}|token|key)";
const ORACLE = ["[\\w.]{1,60}/[\"']?", "[^\\s\"'@/]{3,200}(?=[\"']?@)"] as const;

/**
 * Commands, statements and calls that take a secret without naming it: the first words, what follows them, the secret.
 */
const SAID: Readonly<Record<string, readonly [between: string, value?: string]>> = {
  "identified by": [" (?:password )?[\"']", TEXT],
  "set password for": [" [^=\\n]{1,80}=\\s{0,2}(?:password\\()?[\"']", TEXT],
  "--from-literal": ["[= ][\"']?[\\w.-]{1,60}=[\"']?", "[^\\s\"']{1,512}"],
  htpasswd: [" (?:-\\w+ ){0,4}-\\w{0,4}b\\w{0,4} \\S{1,120} \\S{1,60} [\"']?"],
  "vault login": [" (?:-\\S+ ){0,3}(?:token=)?", "[^\\s\"'=-][^\\s\"'=]{5,200}"],
  "operator unseal": [" "],
  "cargo login": [" ", "[^\\s\"'-][^\\s\"']{5,200}"],
  "secret set": [" [^\\n|;&]{1,120}?(?:--body|-b)[ =][\"']?"],
  "setvariable ": [`[^\\]\\n]{0,80}${ENDING}[^\\]\\n]{0,40}\\]`],
  "::add-mask::": [""],
  "createuser ": [
    "(?:-e \\S{1,40} )?\\S{1,60} (?:SHA|MD5)[\\w-]{0,6} (?:[\"']?\\[\\S{1,40} (?:AES|DES)\\S{0,6} )?[\"']?",
  ],
  "add_user ": ["\\S{1,60} [\"']?"],
  "net user ": ["\\S{1,60} [\"']?", "[^\\s\"'/-][^\\s\"']{2,200}"],
  "wpa_passphrase ": ['(?:"[^"\\n]{1,60}"|\\S{1,60}) ["\']?', "[^\\s\"'-][^\\s\"']{7,63}"],
  "authtoken ": ["", "[^\\s\"'-][^\\s\"']{15,200}"],
  requirepass: [" [\"']?"],
  "sqlplus ": [`(?:-\\S+ ){0,3}${ORACLE[0]}`, ORACLE[1]],
  "thin:": ORACLE,
  "-pass": ["(?:in|out)? [\"']?pass:"],
  "securestring ": ["(?:-string )?[\"']", TEXT],
  "jwt.": [`(?:sign|verify|encode|decode)\\([^"'\\n]{1,120},${STRING}`, TEXT],
  "createhmac(": [`\\s{0,4}["'][\\w-]{1,20}["'],${STRING}`, TEXT],
  "hmac.new(": [STRING, TEXT],
  "secretkeyspec(": [STRING, TEXT],
  "fernet(": [STRING, TEXT],
};
const compiled = new Map<string, RegExp>();

function compilePhrase(phrase: string): RegExp {
  const [between, value = WORD] = SAID[phrase]!;
  const known = compiled.get(phrase) ?? new RegExp(`(${phrase.replace(/[.(]/g, "\\$&")}${between})(${value})`, "iy");
  compiled.set(phrase, known);
  return known;
}

export const SECRET_PHRASES: readonly string[] = Object.keys(SAID);

export function detectPhrase(text: string, at: number): Secret | undefined {
  for (const saying of SECRET_PHRASES) {
    if (text.slice(at, at + saying.length).toLowerCase() !== saying) continue;
    const found = matchSecret(compilePhrase(saying), text, at, "password");
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the second group of a pattern as a secret, unless it looks like an example from a manual. */
export function matchSecret(pattern: RegExp, text: string, at: number, rule: string): Secret | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null || !isPlausiblePassword(match[2]!)) return undefined;
  const start = at + match[1]!.length;
  return { start, end: start + match[2]!.length, rule };
}
