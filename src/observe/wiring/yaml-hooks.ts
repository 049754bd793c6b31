import { tryParseJson } from "../../lib/json.ts";
import { isHookCommand } from "./hook-command.ts";

/**
 * Hooks in a YAML file: under one top-level key a list per event, whose items have a `command`. Edited line by line,
 * so that comments, order and white space are kept; values in braces are left alone.
 */
export interface YamlHooks {
  readonly key: string;
  readonly host: string;
}

/**
 * The text with one hook of ours per event; unchanged if they are already there. Null if it cannot be edited safely.
 */
export function addYamlHooks(
  text: string,
  { key, host }: YamlHooks,
  wanted: { readonly events: readonly string[]; readonly fields: readonly string[] },
): string | null {
  const lines = removeEmptyBraces(text, key).split("\n");
  const top = lines.findIndex((line) => new RegExp(`^${key}:${COMMENT}$`).test(line));
  if (top === -1) {
    if (new RegExp(`^["']?${key}["']?\\s*:`, "m").test(text)) return null;
    const block = wanted.events.flatMap((event) => [`  ${event}:`, ...formatItem("    ", wanted.fields)]);
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    return `${text}${gap}${[`${key}:`, ...block].join("\n")}\n`;
  }
  let edited: readonly string[] | null = lines;
  for (const event of wanted.events)
    edited = edited === null ? null : addHook(edited, { top, event, host, fields: wanted.fields });
  return edited?.join("\n") ?? null;
}

/** The text without our hooks; keys that are empty then are removed too. */
export function removeYamlHooks(text: string, { key, host }: YamlHooks): string {
  let lines: readonly string[] = text.split("\n");
  const top = lines.findIndex((line) => new RegExp(`^${key}:${COMMENT}$`).test(line));
  if (top === -1) return text;
  let hasOurs = false;
  for (let at = lines.length - 1; at > top; at--) {
    if (!isOurs(lines[at] ?? "", host)) continue;
    hasOurs = true;
    lines = lines.toSpliced(at, countItemLines(lines, at));
    const above = lines.findLastIndex((line, i) => i < at && isContentLine(line));
    const isName = above > top && /^\s+[\w-]+:\s*(#.*)?$/.test(lines[above] ?? "");
    if (isName && !hasChildren(lines, above)) lines = lines.toSpliced(above, 1);
  }
  if (hasOurs && !hasChildren(lines, top)) lines = lines.toSpliced(top, 1);
  return lines.join("\n");
}

/** Our commands in it, whichever copy of oldhand they point to. */
export function findYamlCommands(text: string, host: string): readonly string[] {
  return text.split("\n").flatMap((line) => (isOurs(line, host) ? [parseCommandLine(line)] : []));
}

const COMMENT = String.raw`\s*(?:#.*)?`;

/** Programs write an empty value in braces or as null. */
function removeEmptyBraces(text: string, key: string): string {
  return text.replace(new RegExp(`^(${key}:)[ \\t]*(?:\\{\\s*\\}|null|~)(?=[ \\t]*(?:#.*)?$)`, "m"), "$1");
}

function addHook(
  lines: readonly string[],
  { top, event, host, fields }: { top: number; event: string; host: string; fields: readonly string[] },
): readonly string[] | null {
  const end = findBlockEnd(lines, top);
  const indent = readIndent(lines.slice(top + 1, end).find(isContentLine) ?? "  x");
  const at = lines.findIndex((line, i) => i > top && i < end && line.startsWith(`${indent}${event}:`));
  if (at === -1) return lines.toSpliced(top + 1, 0, `${indent}${event}:`, ...formatItem(`${indent}  `, fields));
  const empty = /:[ \t]*(?:\[\s*\]|null|~)(?=[ \t]*(?:#.*)?$)/;
  const name = (lines[at] ?? "").replace(empty, ":");
  if (!new RegExp(`^${indent}${event}:${COMMENT}$`).test(name)) return null;
  const rest = lines.with(at, name);
  const first = rest.slice(at + 1, end).find(isContentLine) ?? "";
  const inner =
    first.trimStart().startsWith("- ") && readIndent(first).length >= indent.length ? readIndent(first) : null;
  if (inner === null) return rest.toSpliced(at + 1, 0, ...formatItem(`${indent}  `, fields));
  const last = rest.findIndex(
    (line, i) => i > at && isContentLine(line) && !line.startsWith(`${inner} `) && !line.startsWith(`${inner}- `),
  );
  const stop = last === -1 ? rest.length : last;
  const ours = rest.findIndex((line, i) => i > at && i < stop && isOurs(line, host));
  const wanted = formatItem(inner, fields);
  return ours === -1
    ? rest.toSpliced(at + 1, 0, ...wanted)
    : rest.toSpliced(ours, countItemLines(rest, ours), ...wanted);
}

function formatItem(indent: string, [first = "", ...more]: readonly string[]): readonly string[] {
  return [`${indent}- ${first}`, ...more.map((field) => `${indent}  ${field}`)];
}

/** True only for an item as we write it: a command of ours that the user wrapped is the user's. */
function isOurs(line: string, host: string): boolean {
  return isHookCommand(parseCommandLine(line), host);
}

function parseCommandLine(line: string): string {
  const command = tryParseJson(/^\s*- command: (".*")$/.exec(line)?.[1] ?? "");
  return typeof command === "string" ? command : "";
}

/** The number of lines of an item, with everything indented under it. */
function countItemLines(lines: readonly string[], at: number): number {
  const inner = `${readIndent(lines[at] ?? "")} `;
  const next = lines.findIndex((line, i) => i > at && !(isContentLine(line) && line.startsWith(inner)));
  return (next === -1 ? lines.length : next) - at;
}

function findBlockEnd(lines: readonly string[], top: number): number {
  const end = lines.findIndex((line, i) => i > top && isContentLine(line) && !/^\s/.test(line));
  return end === -1 ? lines.length : end;
}

function hasChildren(lines: readonly string[], at: number): boolean {
  const own = readIndent(lines[at] ?? "");
  const next = lines.slice(at + 1).find(isContentLine);
  return next !== undefined && (next.startsWith(`${own} `) || next.startsWith(`${own}- `));
}

function readIndent(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}

function isContentLine(line: string): boolean {
  return !/^\s*(#.*)?$/.test(line);
}
