import { openDialog } from "../../browser/dialogs.ts";
import { setFilter } from "../../browser/current-filter.ts";
import { hasAllWords } from "../../text/has-all-words.ts";
import { spans, spanTitles } from "../../browser/page-filter.ts";
import { views } from "../../views.ts";
import type { PaletteCommand, PaletteItem } from "./palette-item.ts";

/** Pages and commands that contain all the words; all of them if nothing is typed. */
export function listLocalItems(words: string, commands: readonly PaletteCommand[]): readonly PaletteItem[] {
  return [...listPages(), ...[...commands, ...frameCommands].map(toItem)].filter((item) =>
    hasAllWords([item.text], words),
  );
}

function listPages(): readonly PaletteItem[] {
  return views.flatMap(({ path, title, nav }) =>
    path.includes(":")
      ? []
      : [{ key: `page ${path}`, group: "Pages", text: title, href: path, ...(nav ? { keys: `g ${nav.key}` } : {}) }],
  );
}

function toItem({ label, keys, run }: PaletteCommand): PaletteItem {
  return { key: `command ${label}`, group: "Commands", text: label, run, ...(keys === undefined ? {} : { keys }) };
}

const frameCommands: readonly PaletteCommand[] = [
  { label: "Choose the time range and the workspace", keys: "f", run: () => (openDialog.value = "filter") },
  ...spans.map((span) => ({
    label: `Show the ${spanTitles[span].toLowerCase()}`,
    run: () => setFilter({ range: { kind: "last" as const, span } }),
  })),
  { label: "Show all time and all workspaces", run: () => setFilter({ range: { kind: "all" }, workspace: null }) },
  { label: "Show all keys", keys: "?", run: () => (openDialog.value = "keys") },
];
