import { matchSecret } from "./commands.ts";
import { isPlaceholder } from "./judge.ts";
import { matchEnd, type Secret, textBefore, matchAt } from "./detector.ts";

/** The values below `data:` or `stringData:` of a manifest whose kind is Secret, before or after the kind. */
export function detectKubernetesSecret(text: string, at: number, from: number): readonly Secret[] | undefined {
  if (matchEnd(KIND_SECRET, text, at) < 0) return undefined;
  const before = text.slice(Math.max(from, at - 2000), at);
  const start = at - before.length + Math.max(before.lastIndexOf("\n---"), before.lastIndexOf("kind"), 0);
  const after = text.slice(at + 5, at + 6000);
  const stop = after.search(/\n---|kind\\?["']?:/);
  const manifest = text.slice(start, at + 5 + (stop < 0 ? after.length : stop));
  const pairs = [...jsonPairs(manifest), ...yamlPairs(manifest)];
  return pairs
    .filter(({ value }) => value.length >= 3 && !isPlaceholder(value))
    .map(({ at: place, value }) => ({
      start: start + place,
      end: start + place + value.length,
      rule: "kubernetes-secret",
    }));
}

interface Pair {
  readonly at: number;
  readonly value: string;
}

const KIND_SECRET = /kind\\?["']?:[ \t]{0,4}\\?["']?Secret\\?["']?(?=[\s,}\\]|$)/iy;

function jsonPairs(manifest: string): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const data of manifest.matchAll(/"(?:data|stringData)\\?"\s{0,4}:\s{0,4}\{([^{}]{1,6000})\}/g)) {
    const from = data.index + data[0].length - 1 - data[1]!.length;
    for (const pair of data[1]!.matchAll(/("[\w.-]{1,100}\\?"\s{0,4}:\s{0,4}\\?")([^"\\]{1,4096})/g))
      pairs.push({ at: from + pair.index + pair[1]!.length, value: pair[2] ?? "" });
  }
  return pairs;
}

function yamlPairs(manifest: string): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const data of manifest.matchAll(/(?:^|\n)([ \t]*)(?:data|stringData):[ \t]*(?=\n)/g)) {
    const indent = data[1]!.length;
    DATA_LINE.lastIndex = data.index + data[0].length;
    for (let line = DATA_LINE.exec(manifest); line !== null; line = DATA_LINE.exec(manifest)) {
      const [whole, space = "", name = "", value = ""] = line;
      if (space.length <= indent) break;
      const quoted = /^["']/.test(value) ? 1 : 0;
      const bare = value.slice(quoted).replace(/["']?[ \t]*$/, "");
      if (!/^[|>][+-]?$/.test(bare))
        pairs.push({ at: line.index + 1 + space.length + name.length + quoted, value: bare });
      DATA_LINE.lastIndex = line.index + whole.length;
    }
  }
  return pairs;
}

const DATA_LINE = /\n([ \t]{1,40})((?:["']?[\w.-]{1,100}["']?:[ \t]{0,4})?)([^\n]{0,4096})/y;

export function detectNpmrc(text: string, at: number): Secret | undefined {
  const match = matchAt(NPMRC, text, at);
  if (match === null || /^["']?\$|^</.test(match[2]!) || !/\/\/\S{3,200}$/.test(textBefore(text, at, 200)))
    return undefined;
  const start = at + match[1]!.length;
  const end = NPMRC.lastIndex;
  return text.startsWith("[redacted:", start) ? undefined : { start, end, rule: "npm-token" };
}

const NPMRC = /(:_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}["']?)([^\s"'\\]{6,512})/y;

export function detectNetrc(text: string, at: number): Secret | undefined {
  return matchSecret(NETRC, text, at, "netrc-password");
}

const NETRC =
  /((?:machine\s{1,8}\S{1,200}|default)(?:\s{1,8}(?:login|account)\s{1,8}\S{1,200}){0,2}\s{1,8}password\s{1,8})([^\s"'\\]{3,200})/iy;

/** A line of .pgpass: host, port, database, user, password. `at` is the colon before the port. */
export function detectPgpass(text: string, at: number): Secret | undefined {
  return /(?:^|\n)[ \t]{0,8}[\w.*-]{1,100}$/.test(textBefore(text, at, 110))
    ? matchSecret(PGPASS, text, at, "pgpass")
    : undefined;
}

const PGPASS = /(:(?:\d{4,5}|\*):[\w.*-]{1,63}:[\w.*-]{1,63}:)((?:[^\s:\\]|\\.){3,200})(?=\s|$)/y;
