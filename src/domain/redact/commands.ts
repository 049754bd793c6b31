import { entropyOf, isGivenPassword, isPlaceholder, looksLikePassword } from "./judge.ts";
import type { Secret } from "./look.ts";

/** Programs by the flag after which they take a password. Some take it at once, some only without a space. */
const FLAGS: Readonly<Record<string, string>> = {
  "-p": "sshpass|(?:docker|podman|buildah|nerdctl|skopeo|helm|oc|cf|az|registry)\\b.*\\blogin|mongo\\w*|twine|cqlsh|evil-winrm|psexec\\S*|rabbitmqadmin|xfreerdp|arangosh|influx|plink|hydra",
  "-p*": "(?:mysql|mariadb)\\w*(?:-\\w+)?|7za?",
  "-P": "sqlcmd|bcp|isql|tsql|mosquitto_[ps]ub|unzip|zip|zipcloak|ipmitool|pgadmin",
  "-a": "(?:redis|valkey|keydb)-cli",
  "-w": "ldap\\w+|wpa_cli",
  "-k": "openssl",
};
/** The same where the password comes with its user: `user:password`, `user%password`, `user,password`. */
const USER_FLAGS: Readonly<Record<string, string>> = {
  "-a": "https?|xh",
  "-U": "smbclient|rpcclient|net|smbmap",
  "-u": "lftp|ncftp|wget",
};

const FLAG =
  /[ \t](-[pPawkuU])(=|[ \t]{1,3}|)(["']?)(?:(?<=["'])([^"'\r\n]{3,200})(?=["'])|(?<!["'])([^\s"'\\|&;<>()-][^\s"'\\|&;<>()]{2,200}))/y;

/** `-p password` and its like mean something else after every program that is not listed. */
export function lookAtFlag(text: string, at: number): Secret | undefined {
  FLAG.lastIndex = at;
  const match = FLAG.exec(text);
  if (match === null) return undefined;
  const [, flag = "", gap = "", , quoted, bare] = match;
  const value = quoted ?? bare ?? "";
  const command = /[^\n|;&]*$/.exec(text.slice(Math.max(0, at - 300), at))?.[0] ?? "";
  const runs = (programs: string | undefined) => programs !== undefined && patternOf(programs).test(command);
  const end = FLAG.lastIndex;
  if (runs(USER_FLAGS[flag])) {
    const split = value.search(/[:%,]/);
    const password = value.slice(split + 1);
    return split < 1 || !isGivenPassword(password)
      ? undefined
      : { start: end - password.length, end, rule: "password" };
  }
  if (!(gap === "" ? runs(FLAGS[`${flag}*`]) || runs(FLAGS[flag]) : runs(FLAGS[flag])) || !isGivenPassword(value))
    return undefined;
  return { start: end - value.length, end, rule: "password" };
}

const patterns = new Map<string, RegExp>();

function patternOf(programs: string): RegExp {
  const pattern = patterns.get(programs) ?? new RegExp(`(?:^|[\\s/"'\`(=])(?:${programs})(?=\\s|$)`);
  patterns.set(programs, pattern);
  return pattern;
}

/** `curl -u user:password`. */
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
  if (
    password.length < 3 ||
    WEAK_WORD.test(password) ||
    isPlaceholder(password) ||
    isPlaceholder(pair) ||
    entropyOf(pair) < 2
  )
    return undefined;
  return { start: pairStart + colon + 1, end: pairStart + pair.length, rule: "curl-user" };
}

const CURL_USER =
  /( {0,2}(?:-u|--user)(?:=|[ \t]{0,5})\\{0,2}["']?)(?:(?<=")([^"\\\n]{3,200})|(?<=')([^'\\\n]{3,200})|(?<!["'])([^\s"'`\\]{3,200}))/y;
const WEAK_WORD =
  /^(?:change(?:it|me)|pass(?:word|wd)?|pwd|pw|test|token|secret|key|user|y+|x+|\*+|api[_-]?(?:key|token))$/i;

const said = (head: string, value = "[^\\s\"'-][^\\s\"']{2,200}", tail = "") =>
  new RegExp(`(${head})(${value})${tail ? `(?=${tail})` : ""}`, "iy");
const TEXT = "[^\"'\\r\\n]{3,200}";
const STRING = "\\s{0,4}b?[\"']";

/** Commands, statements and calls that take a secret without naming it; each from its first word on. */
const SAID: Readonly<Record<string, RegExp>> = {
  "identified by": said("identified by (?:password )?[\"']", TEXT),
  "set password for": said("set password for [^=\\n]{1,80}=\\s{0,2}(?:password\\()?[\"']", TEXT),
  "--from-literal": said("--from-literal[= ][\"']?[\\w.-]{1,60}=[\"']?", "[^\\s\"']{1,512}"),
  htpasswd: said("htpasswd (?:-\\w+ ){0,4}-\\w{0,4}b\\w{0,4} \\S{1,120} \\S{1,60} [\"']?"),
  "vault login": said("vault login (?:-\\S+ ){0,3}(?:token=)?", "[^\\s\"'=-][^\\s\"'=]{5,200}"),
  "vault operator unseal": said("vault operator unseal "),
  "cargo login": said("cargo login ", "[^\\s\"'-][^\\s\"']{5,200}"),
  "gh secret set": said("gh secret set [^\\n|;&]{1,120}?(?:--body|-b)[ =][\"']?"),
  "add_user ": said("add_user \\S{1,60} [\"']?"),
  "net user ": said("net user \\S{1,60} [\"']?", "[^\\s\"'/-][^\\s\"']{2,200}"),
  "wpa_passphrase ": said('wpa_passphrase (?:"[^"\\n]{1,60}"|\\S{1,60}) ["\']?', "[^\\s\"'-][^\\s\"']{7,63}"),
  "authtoken ": said("authtoken ", "[^\\s\"'-][^\\s\"']{15,200}"),
  requirepass: said("requirepass [\"']?"),
  "sqlplus ": said("sqlplus (?:-\\S+ ){0,3}[\\w.]{1,60}/[\"']?", "[^\\s\"'@/]{3,200}", "[\"']?@"),
  "echo ": said(
    "echo (?:-n )?[\"']?(?:[\\w.-]{1,40}:(?=[^\\n|]{1,200}\\| ?(?:sudo )?chpasswd))?",
    "[^\"'|\\n]{3,200}?",
    "[\"']? ?\\| ?(?:(?:sudo )?chpasswd|sudo -S|(?:docker|podman|helm|buildah|oras|crane|gh|oc|cosign|az|npm|glab)\\b[^\\n|]{0,120}(?:--password-stdin|--with-token|--stdin))",
  ),
  "-pass": said("-pass(?:in|out)? [\"']?pass:"),
  "securestring ": said("securestring (?:-string )?[\"']", TEXT),
  "login(": said(`login\\(\\s{0,4}["'][^"'\\n]{1,80}["'],${STRING}`, TEXT),
  "auth(": said(`auth\\(\\s{0,4}["'][^"'\\n]{1,80}["'],${STRING}`, TEXT),
  "jwt.": said(`jwt\\.(?:sign|verify|encode|decode)\\([^"'\\n]{1,120},${STRING}`, TEXT),
  "createhmac(": said(`createhmac\\(\\s{0,4}["'][\\w-]{1,20}["'],${STRING}`, TEXT),
  "hmac.new(": said(`hmac\\.new\\(${STRING}`, TEXT),
  "secretkeyspec(": said(`secretkeyspec\\(${STRING}`, TEXT),
  "fernet(": said(`fernet\\(${STRING}`, TEXT),
};
export const SAYINGS: readonly string[] = Object.keys(SAID);

export function lookAtSaying(text: string, at: number): Secret | undefined {
  for (const saying of SAYINGS) {
    if (text.slice(at, at + saying.length).toLowerCase() !== saying) continue;
    const found = flagged(SAID[saying]!, text, at, "password");
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the second group of a pattern takes, unless a manual would write it so. */
export function flagged(pattern: RegExp, text: string, at: number, rule: string): Secret | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null || !isGivenPassword(match[2] ?? "")) return undefined;
  const start = at + (match[1] ?? "").length;
  return { start, end: start + (match[2] ?? "").length, rule };
}
