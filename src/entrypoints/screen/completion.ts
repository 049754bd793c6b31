import type { AutocompleteItem, AutocompleteProvider } from "@earendil-works/pi-tui";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { slashCommands } from "../cli/chat/slash-commands.ts";
import { chatModes } from "../../domain/settings/chat-mode.ts";

/** Completes commands, their words and files that are named as @file. */
export interface Completion extends AutocompleteProvider {
  /**
   * What Enter does while suggestions are shown: `send` what is typed, because it is complete; `complete` it with the
   * selected one; or `run` the only command that begins so, which is safe.
   */
  onEnter(
    lines: readonly string[],
    cursor: { readonly line: number; readonly col: number },
  ): "send" | "complete" | "run";
}

export function newCompletion(cwd: string, models: () => readonly string[]): Completion {
  const suggest = (lines: readonly string[], row: number, column: number) => {
    const before = (lines[row] ?? "").slice(0, column);
    const [word = ""] = /(?<=^|\s)@"[^"]*$|\S*$/.exec(before) ?? [];
    const items = word.startsWith("@")
      ? listFiles(cwd, word.slice(1).replace(/^"/, ""))
      : row === 0
        ? listWords(before, models())
        : [];
    return { items: [...items], prefix: word };
  };
  return {
    getSuggestions: async (lines, row, column) => {
      const found = suggest(lines, row, column);
      return found.items.length === 0 ? null : found;
    },
    onEnter: (lines, { line, col }) => {
      const { items, prefix } = suggest(lines, line, col);
      if (items.some(({ value }) => value === prefix)) return "send";
      const [only, ...others] = items;
      const isSafe = slashCommands.some(({ name, isSafe: safe }) => safe === true && `/${name}` === only?.value);
      return others.length === 0 && isSafe ? "run" : "complete";
    },
    // oxlint-disable-next-line max-params -- the signature is the library's
    applyCompletion: (lines, row, column, item, prefix) => {
      const line = lines[row] ?? "";
      const before = line.slice(0, column - prefix.length) + item.value;
      const next = [...lines];
      next[row] = before + line.slice(column);
      return { lines: next, cursorLine: row, cursorCol: before.length };
    },
  };
}

function listWords(before: string, models: readonly string[]): readonly AutocompleteItem[] {
  if (/^\/[a-z-]*$/i.test(before))
    return slashCommands
      .filter(({ name }) => `/${name}`.startsWith(before.toLowerCase()))
      .map(({ name, words, summary }) => ({
        value: `/${name}`,
        label: `/${name} ${words}`.trim(),
        description: summary,
      }));
  const [, name = "", typed = ""] = /^\/([a-z]+) (\S*)$/.exec(before) ?? [];
  const words = name === "mode" ? chatModes : name === "model" ? models : [];
  return words.filter((one) => one.startsWith(typed)).map((one) => ({ value: one, label: one }));
}

/** The files of one folder whose names begin as typed. */
function listFiles(cwd: string, typed: string): readonly AutocompleteItem[] {
  const folder = typed.endsWith("/") ? typed : dirname(typed) === "." ? "" : `${dirname(typed)}/`;
  const start = typed.slice(folder.length);
  const found = readFolder(join(cwd, folder)).filter(
    ({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")),
  );
  return found.slice(0, FILES).map((file) => {
    const name = `${folder}${file.name}${file.isDirectory() ? "/" : ""}`;
    // The closing quote ends the name: a folder goes on.
    const quoted = file.isDirectory() ? `@"${name}` : `@"${name}"`;
    return { value: /\s/.test(name) ? quoted : `@${name}`, label: name };
  });
}

const FILES = 50;

/** Empty for a folder that cannot be read. */
function readFolder(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
