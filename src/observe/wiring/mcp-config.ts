import { isRecord } from "../../lib/json.ts";
import { hasAllMembers, memberAt, withMember, withoutMember } from "../../lib/json-edit.ts";
import type { McpConfig, InstallTarget } from "../protocol/host.ts";

/** The name of our server in every host. */
export const SERVER_NAME = "oldhand";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The hook's program and home, with `mcp` as the command. */
export function buildServerCommand(target: Pick<InstallTarget, "command">): ServerCommand {
  const [node = "", program = "", , , ...rest] = target.command;
  return { command: node, args: [program, "mcp", ...rest] };
}

/**
 * True if install wrote this entry: Node, this program's file, `mcp`. Anything else with that name, such as a wrapper
 * or a server written by hand, belongs to the user and is neither changed nor removed.
 */
function runsOldhand(entry: string): boolean {
  return /[\\/]oldhand\.cjs["']?[\s,-]+["']?mcp\b/.test(entry);
}

export function isOurServerEntry(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  return runsOldhand([entry["command"], entry["args"]].flat(2).map(String).join(" "));
}

/** For a JSON file, with or without comments, that has its servers at the path `at`. */
export function jsonMcpConfig(config: {
  path(target: InstallTarget): string | null;
  readonly at: readonly string[];
  /** The entry in the host's format; command and args if absent. */
  entry?(server: ServerCommand): Readonly<Record<string, unknown>>;
}): McpConfig {
  const at = [...config.at, SERVER_NAME];
  return {
    path: (target) => config.path(target),
    with: (text, target) => {
      const server = buildServerCommand(target);
      const wanted = config.entry?.(server) ?? { ...server };
      const there = memberAt(text, at);
      // Other members that the user set, for example that it is off, are kept.
      if (hasAllMembers(there, wanted)) return text;
      if (there !== undefined && !isOurServerEntry(there)) return null;
      return withMember(text, at, isRecord(there) ? { ...there, ...wanted } : wanted);
    },
    without: (text) => {
      const there = memberAt(text, at);
      return there === undefined || isOurServerEntry(there) ? withoutMember(text, at) : text;
    },
    isTaken: (text) => {
      const there = memberAt(text, at);
      return there !== undefined && !isOurServerEntry(there);
    },
  };
}

/**
 * For a TOML file: adds a table at its end. The host may also write to the file, so only the start of the table is
 * marked.
 */
export function tomlMcpConfig(config: {
  path(target: InstallTarget): string | null;
  readonly table: string;
}): McpConfig {
  const header = `[${config.table}.${SERVER_NAME}]`;
  const note = `${MARK} \`oldhand uninstall\` removes it.`;
  return {
    path: (target) => config.path(target),
    with: (text, target) => {
      const { command, args } = buildServerCommand(target);
      const lines = [
        `command = ${JSON.stringify(command)}`,
        `args = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`,
      ];
      if (new RegExp(`^\\s*${config.table}\\s*=`, "m").test(text)) return null;
      if (isTakenTable(text, header)) return null;
      const there = splitLines(text).findIndex((line) => line.trim() === header);
      if (there !== -1 && lines.every((line) => readTable(splitLines(text), there).includes(line))) return text;
      const rest = there === -1 ? text : removeTable(text, header);
      const gap = rest === "" ? "" : rest.endsWith("\n") ? "\n" : "\n\n";
      return `${rest}${gap}${[note, header, ...lines].join("\n")}\n`;
    },
    without: (text) => (isTakenTable(text, header) ? text : removeTable(text, header)),
    isTaken: (text) => isTakenTable(text, header),
  };
}

const MARK = "# Written by oldhand;";

/** Also recognises the name with quotes or white space: with a duplicate table, no host could read the file. */
function isTakenTable(text: string, header: string): boolean {
  const lines = splitLines(text);
  const plain = (line: string) => line.replaceAll(/["'\s]/g, "").replace(/#.*$/, "");
  const at = lines.findIndex((line) => plain(line) === header);
  if (at === -1) return false;
  return lines[at]?.trim() !== header || !runsOldhand(readTable(lines, at).join("\n"));
}

/** Removes the table with the note above it, the empty line above that, and its sub-tables. */
function removeTable(text: string, header: string): string {
  const lines = splitLines(text);
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    if (line !== header && !line.startsWith(`${header.slice(0, -1)}.`)) {
      kept.push(lines[at] ?? "");
      continue;
    }
    if (kept.at(-1)?.trim().startsWith(MARK)) kept.pop();
    if (kept.at(-1) === "") kept.pop();
    at += readTable(lines, at).length - 1;
  }
  return kept.join("\n");
}

/** The header and the settings after it, up to the first other line. */
function readTable(lines: readonly string[], header: number): readonly string[] {
  const end = lines.findIndex((line, at) => at > header && !/^\s*[\w"'.-]+\s*=/.test(line));
  return lines.slice(header, end === -1 ? undefined : end);
}

const EMPTY_VALUE = String.raw`\s*(?:\{\s*\}|\[\s*\]|null|~)?\s*(?:#.*)?`;

/**
 * For a YAML file whose servers are under one top-level key, by name or as a list. Edited line by line: values in
 * braces and keys in quotes are left alone.
 */
export function yamlMcpConfig(config: {
  path(target: InstallTarget): string | null;
  readonly key: string;
  readonly isList?: boolean;
}): McpConfig {
  const first = config.isList === true ? `- name: ${SERVER_NAME}` : `${SERVER_NAME}:`;
  return {
    path: (target) => config.path(target),
    with: (text, target) => {
      const lines = splitLines(text);
      const at = lines.findIndex((line) => new RegExp(`^${config.key}:${EMPTY_VALUE}$`).test(line));
      const server = buildServerCommand(target);
      const fields = [`command: ${JSON.stringify(server.command)}`, `args: ${JSON.stringify(server.args)}`];
      if (at === -1) {
        if (new RegExp(`^["']?${config.key}["']?\\s*:`, "m").test(text)) return null;
        const gap = text === "" || text.endsWith("\n") ? "" : "\n";
        return `${text}${gap}${[`${config.key}:`, ...formatItem(first, fields, "  ")].join("\n")}\n`;
      }
      // Programs write an empty value in braces; nothing could be put under that.
      lines[at] = (lines[at] ?? "").replace(/:\s*(?:\{\s*\}|\[\s*\]|null|~)/, ":");
      const ours = findItemUnder(lines, at, first);
      if (ours !== null && !runsOldhand(lines.slice(ours.from, ours.to).join("\n"))) return null;
      const indent = ours?.indent ?? readIndentUnder(lines, at);
      const wanted = formatItem(first, fields, indent);
      if (ours === null) return lines.toSpliced(at + 1, 0, ...wanted).join("\n");
      if (fields.every((field) => lines.slice(ours.from, ours.to).some((line) => line.trim() === field))) return text;
      return lines.toSpliced(ours.from, ours.to - ours.from, ...wanted).join("\n");
    },
    without: (text) => {
      const lines = splitLines(text);
      const at = lines.findIndex((line) => new RegExp(`^${config.key}:\\s*(#.*)?$`).test(line));
      const ours = at === -1 ? null : findItemUnder(lines, at, first);
      if (ours === null || !runsOldhand(lines.slice(ours.from, ours.to).join("\n"))) return text;
      const rest = lines.toSpliced(ours.from, ours.to - ours.from);
      // The key is removed too if nothing is left under it.
      const isEmpty = !/^(\s+|- )\S/.test(rest.slice(at + 1).find((line) => isContentLine(line)) ?? "");
      return (isEmpty ? rest.toSpliced(at, 1) : rest).join("\n");
    },
    isTaken: (text) => {
      const lines = splitLines(text);
      const at = lines.findIndex((line) => new RegExp(`^${config.key}:\\s*(#.*)?$`).test(line));
      const there = at === -1 ? null : findItemUnder(lines, at, first);
      return there !== null && !runsOldhand(lines.slice(there.from, there.to).join("\n"));
    },
  };
}

function formatItem(first: string, fields: readonly string[], indent: string): readonly string[] {
  return [`${indent}${first}`, ...fields.map((field) => `${indent}  ${field}`)];
}

function findItemUnder(
  lines: readonly string[],
  key: number,
  first: string,
): { readonly from: number; readonly to: number; readonly indent: string } | null {
  const indent = readIndentUnder(lines, key);
  for (let at = key + 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (isContentLine(line) && !line.startsWith(indent === "" ? "- " : indent) && !/^\s/.test(line)) return null;
    if (line.trimEnd() !== `${indent}${first}`) continue;
    const end = lines.findIndex((next, i) => i > at && isContentLine(next) && !next.startsWith(`${indent} `));
    let to = end === -1 ? lines.length : end;
    while (!isContentLine(lines[to - 1] ?? "")) to--;
    return { from: at, to, indent };
  }
  return null;
}

/** The indent of the first child; two spaces if there is none. */
function readIndentUnder(lines: readonly string[], key: number): string {
  const child = lines.slice(key + 1).find((line) => isContentLine(line)) ?? "";
  if (child.startsWith("- ")) return "";
  return /^\s+/.exec(child)?.[0] ?? "  ";
}

function isContentLine(line: string): boolean {
  return !/^\s*(#.*)?$/.test(line);
}

function splitLines(text: string): string[] {
  return text.split("\n");
}
