import { isRecord } from "./json.ts";

/**
 * JSON as people write it in settings: with comments, trailing commas and names without quotes. It is edited in
 * place, so that everything else stays as written, including white space.
 */
type Node =
  | { readonly kind: "object"; readonly from: number; readonly to: number; readonly members: readonly Member[] }
  | { readonly kind: "array"; readonly from: number; readonly to: number; readonly items: readonly Node[] }
  | { readonly kind: "scalar"; readonly from: number; readonly to: number; readonly value: unknown };

interface Member {
  readonly key: string;
  readonly from: number;
  readonly value: Node;
}

/** The value at the path; undefined if there is none, or if the text cannot be parsed. */
export function memberAt(text: string, path: readonly string[]): unknown {
  const root = parse(text);
  const found = root === null ? undefined : nodeAt(root, path);
  return found === undefined ? undefined : valueOf(found);
}

/**
 * The first duplicate name in the top-level object; null if there is none. Parsers disagree on which of the two
 * counts.
 */
export function findDuplicateName(text: string): string | null {
  const root = parse(text);
  if (root?.kind !== "object") return null;
  const names = root.members.map((member) => member.key);
  return names.find((name, at) => names.indexOf(name) !== at) ?? null;
}

/** Changes in place only what differs between `from` and `to`. Null if the text cannot be parsed. */
export function applyJsonChanges(
  text: string,
  { from, to }: { readonly from: Members; readonly to: Members },
  path: readonly string[] = [],
): string | null {
  let edited: string | null = text;
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [was, is] = [from[key], to[key]];
    const at = [...path, key];
    if (edited === null || JSON.stringify(was) === JSON.stringify(is)) continue;
    if (is === undefined) edited = withoutMember(edited, at);
    else if (isRecord(was) && isRecord(is)) edited = applyJsonChanges(edited, { from: was, to: is }, at);
    else edited = withMember(edited, at, is);
  }
  return edited;
}

type Members = Readonly<Record<string, unknown>>;

/** The text with this value at the path; missing objects are created. Null if there is no object to put it in. */
export function withMember(text: string, path: readonly string[], value: unknown): string | null {
  if (text.trim() === "") return `${JSON.stringify(nested(path, value), null, 2)}\n`;
  const root = parse(text);
  if (root?.kind !== "object") return null;
  const there = nodeAt(root, path);
  if (there !== undefined) return splice(text, there.from, there.to, indented(value, indentOf(text, there.from), text));
  let node: Node = root;
  let depth = 0;
  for (; depth < path.length - 1; depth++) {
    const next: Node | undefined = nodeAt(node, [path[depth] ?? ""]);
    if (next === undefined) break;
    node = next;
  }
  return node.kind === "object" ? insert(text, node, path[depth] ?? "", nested(path.slice(depth + 1), value)) : null;
}

/** The text without the member at the path. Null if the text cannot be parsed. */
export function withoutMember(text: string, path: readonly string[]): string | null {
  const root = parse(text);
  if (root?.kind !== "object") return null;
  const parent = nodeAt(root, path.slice(0, -1));
  if (parent?.kind !== "object") return text;
  const at = parent.members.findIndex((member) => member.key === path.at(-1));
  const member = parent.members[at];
  if (member === undefined) return text;
  const from = text.slice(0, member.from).trimEnd().length;
  const { to } = member.value;
  const comma = skip(text, to);
  if (text[comma] === ",") return text.slice(0, from) + text.slice(to, comma) + text.slice(comma + 1);
  // If it is the last of several, the comma before it is removed too. If it is the only one, the braces are joined.
  if (text[from - 1] === ",") return splice(text, from - 1, to, "");
  const rest = text.slice(to, parent.to - 1);
  return rest.trim() === "" ? splice(text, from, parent.to - 1, "") : splice(text, from, to, "");
}

function insert(text: string, node: Extract<Node, { kind: "object" }>, key: string, value: unknown): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const last = node.members.at(-1);
  if (last === undefined) {
    const outer = indentOf(text, node.from);
    const inner = `${outer}  `;
    const rest = text.slice(node.from + 1, node.to - 1);
    const member = `${eol}${inner}${JSON.stringify(key)}: ${indented(value, inner, text)}`;
    return splice(text, node.from + 1, node.from + 1, rest.includes("\n") ? member : `${member}${eol}${outer}`);
  }
  const isOneLine = !text.slice(node.from, last.from).includes("\n");
  const indent = indentOf(text, last.from);
  const shown = isOneLine ? JSON.stringify(value) : indented(value, indent, text);
  const gap = isOneLine ? " " : `${eol}${indent}`;
  return splice(text, last.value.to, last.value.to, `,${gap}${JSON.stringify(key)}: ${shown}`);
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function indented(value: unknown, indent: string, text: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return (JSON.stringify(value, null, 2) ?? "null").replaceAll("\n", `${eol}${indent}`);
}

/** The white space at the beginning of the line. */
function indentOf(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? "";
}

function splice(text: string, from: number, to: number, middle: string): string {
  return text.slice(0, from) + middle + text.slice(to);
}

function nodeAt(node: Node, path: readonly string[]): Node | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return node;
  // If a name is duplicated, the last one counts.
  const found = node.kind === "object" ? node.members.findLast((member) => member.key === key) : undefined;
  return found === undefined ? undefined : nodeAt(found.value, rest);
}

function valueOf(node: Node): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "array") return node.items.map(valueOf);
  return Object.fromEntries(node.members.map((member) => [member.key, valueOf(member.value)]));
}

/** Null if it is not JSON, even with these extensions. */
function parse(text: string): Node | null {
  const node = parseNode(text, skip(text, text.startsWith("\uFEFF") ? 1 : 0), 0);
  return node !== null && skip(text, node.to) === text.length ? node : null;
}

const DEEPEST = 200;

function parseNode(text: string, from: number, depth: number): Node | null {
  if (depth > DEEPEST) return null;
  if (text[from] === "{") return parseObject(text, from, depth);
  if (text[from] === "[") return parseArray(text, from, depth);
  return parseScalar(text, from);
}

function parseObject(text: string, from: number, depth: number): Node | null {
  const members: Member[] = [];
  for (let at = skip(text, from + 1); ;) {
    if (text[at] === "}") return { kind: "object", from, to: at + 1, members };
    const key = parseScalar(text, at);
    if (key === null) return null;
    const colon = skip(text, key.to);
    if (text[colon] !== ":") return null;
    const value = parseNode(text, skip(text, colon + 1), depth + 1);
    if (value === null) return null;
    members.push({ key: String(key.kind === "scalar" ? key.value : ""), from: at, value });
    at = skip(text, value.to);
    if (text[at] === ",") at = skip(text, at + 1);
    else if (text[at] !== "}") return null;
  }
}

function parseArray(text: string, from: number, depth: number): Node | null {
  const items: Node[] = [];
  for (let at = skip(text, from + 1); ;) {
    if (text[at] === "]") return { kind: "array", from, to: at + 1, items };
    const item = parseNode(text, at, depth + 1);
    if (item === null) return null;
    items.push(item);
    at = skip(text, item.to);
    if (text[at] === ",") at = skip(text, at + 1);
    else if (text[at] !== "]") return null;
  }
}

function parseScalar(text: string, from: number): Node | null {
  const quoted = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;
  const bare = /[^\s,:{}[\]"'/]+/y;
  quoted.lastIndex = from;
  bare.lastIndex = from;
  const raw = quoted.exec(text)?.[0] ?? bare.exec(text)?.[0];
  if (raw === undefined) return null;
  return { kind: "scalar", from, to: from + raw.length, value: scalarOf(raw) };
}

function scalarOf(raw: string): unknown {
  const text = raw.startsWith("'") ? `"${raw.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"` : raw;
  try {
    return JSON.parse(text);
  } catch {
    // A name without quotes, or a number that only JSON5 allows.
    return raw;
  }
}

/** The position after white space and comments. */
function skip(text: string, from: number): number {
  const gap = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
  gap.lastIndex = from;
  return from + (gap.exec(text)?.[0].length ?? 0);
}

/** True if `there` has every member of `wanted` with the same value. */
export function hasAllMembers(there: unknown, wanted: Readonly<Record<string, unknown>>): boolean {
  return (
    isRecord(there) &&
    Object.entries(wanted).every(([key, value]) => JSON.stringify(there[key]) === JSON.stringify(value))
  );
}
