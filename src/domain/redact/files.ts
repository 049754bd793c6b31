import { flagged } from "./commands.ts";
import { endOf, type Secret } from "./look.ts";

/** Base64 values below `data:` of a manifest whose kind is Secret, before or after the kind. */
export function lookAtKubernetesSecret(text: string, at: number, from: number): readonly Secret[] | undefined {
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

export function lookAtNpmrc(text: string, at: number): Secret | undefined {
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

export function lookAtNetrc(text: string, at: number): Secret | undefined {
  return flagged(NETRC, text, at, "netrc-password");
}

const NETRC = /(machine\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8})([^\s"'\\]{3,200})/iy;
