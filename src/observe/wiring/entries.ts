import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { memberAt } from "../../lib/json-edit.ts";
import { isHookCommand } from "./hook-command.ts";
import { readHostFileTextIfReadable } from "./host-file.ts";
import { isOurServerEntry } from "./mcp-config.ts";
import { findYamlCommands } from "./yaml-hooks.ts";

/** How a host's events reach us, as written in the host's own files. */
export type HookEntry =
  /** A command line for a shell. */
  | { readonly kind: "command"; readonly command: string; readonly path: string }
  /** A file that the host runs. */
  | { readonly kind: "script"; readonly path: string }
  /** Code that runs in the host's own process. */
  | { readonly kind: "plugin"; readonly text: string; readonly path: string }
  /** A server that the host starts, and the hooks that call its tool. */
  | {
      readonly kind: "server";
      readonly command: string;
      readonly args: readonly string[];
      readonly inputs: readonly JsonObject[];
      readonly path: string;
    };

type JsonObject = Readonly<Record<string, unknown>>;

/** All different entries of ours in these files. */
export function findHookEntries(
  host: string,
  files: readonly { readonly path: string; readonly text: string }[],
): readonly HookEntry[] {
  const inputs = files.flatMap(({ text }) => collectObjects(parseSettings(text)).flatMap(parseToolInput));
  const entries = files.flatMap(({ path, text }): readonly HookEntry[] => {
    const parsed = parseSettings(text);
    if (isRecord(parsed)) {
      const objects = collectObjects(parsed);
      return [
        ...objects
          .flatMap((one) => findOurCommands(one, host))
          .map((command) => ({ kind: "command", command, path }) as const),
        // A server that no hook calls sends no events.
        ...(inputs.length === 0 ? [] : objects.flatMap(findOurServers)).map(
          (server) => ({ kind: "server", ...server, inputs, path }) as const,
        ),
      ];
    }
    if (text.includes("const command = [") && text.includes("Written by oldhand"))
      return [{ kind: "plugin", text, path }];
    const listed = findYamlCommands(text, host);
    if (listed.length > 0) return listed.map((command) => ({ kind: "command", command, path }));
    return text.split("\n").some((line) => isHookCommand(line, host)) ? [{ kind: "script", path }] : [];
  });
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const identity = (entry: HookEntry) =>
    entry.kind === "script" ? texts.get(entry.path) : JSON.stringify({ ...entry, path: null });
  return [...new Map(entries.map((entry) => [identity(entry), entry])).values()];
}

/** Also parses JSON with comments. */
function parseSettings(text: string): unknown {
  return tryParseJson(text) ?? memberAt(text, []);
}

function collectObjects(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(collectObjects);
  return isRecord(value) ? [value, ...Object.values(value).flatMap(collectObjects)] : [];
}

function findOurCommands(hook: JsonObject, host: string): readonly string[] {
  return [hook["command"], hook["bash"], hook["powershell"]].filter(
    (line): line is string => typeof line === "string" && isHookCommand(line, host),
  );
}

function findOurServers(file: JsonObject): readonly { readonly command: string; readonly args: readonly string[] }[] {
  const servers = isRecord(file["mcpServers"]) ? file["mcpServers"] : {};
  const server = servers["oldhand"];
  // A server of this name that the user wrote must not be run.
  if (!isRecord(server) || typeof server["command"] !== "string" || !isOurServerEntry(server)) return [];
  const args = Array.isArray(server["args"]) ? server["args"].map(String) : [];
  return [{ command: server["command"], args }];
}

/** The input that a hook of the type `mcp_tool` sends. */
function parseToolInput(hook: JsonObject): readonly JsonObject[] {
  const isOurs = hook["type"] === "mcp_tool" && /\boldhand$/.test(String(hook["server"]));
  return isOurs && isRecord(hook["input"]) ? [hook["input"]] : [];
}

/** The payload as such a hook sends it: only the named fields, objects as JSON text, missing fields as empty text. */
export function fillToolInput(input: JsonObject, payload: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([name, given]) => {
      const field = typeof given === "string" ? /^\$\{(\w+)\}$/.exec(given)?.[1] : undefined;
      if (field === undefined) return [name, given];
      const value = payload[field] ?? "";
      return [name, typeof value === "string" ? value : JSON.stringify(value)];
    }),
  );
}

/** The first absolute path in the entry that does not exist; null if all exist. */
export function findMissingProgram(entry: HookEntry): string | null {
  return listEntryWords(entry).find((word) => isAbsolute(word) && !existsSync(word)) ?? null;
}

function listEntryWords(entry: HookEntry): readonly string[] {
  switch (entry.kind) {
    case "command":
      return listPrograms(entry.command);
    case "script":
      return listPrograms(readHostFileTextIfReadable(entry.path) ?? "");
    case "server":
      return dropHomeArguments([entry.command, ...entry.args]);
    case "plugin": {
      const words = tryParseJson(/^const command = (\[.*\]);$/m.exec(entry.text)?.[1] ?? "");
      return Array.isArray(words) ? dropHomeArguments(words.map(String)) : [];
    }
  }
}

function listPrograms(command: string): readonly string[] {
  const words = command.match(/"(?:[^"\\]|\\.)+"|\S+/g) ?? [];
  return dropHomeArguments(words.map((word) => word.replace(/^"(.*)"$/, "$1").replaceAll(/\\(["$`])/g, "$1")));
}

/** A missing home is not an error: it is created at first use. */
function dropHomeArguments(words: readonly string[]): readonly string[] {
  const at = words.indexOf("--home");
  return at === -1 ? words : words.slice(0, at);
}
