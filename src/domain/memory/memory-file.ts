import type { Memory } from "./memory.ts";
import { textSimilarity } from "../text/similarity.ts";

/** The two files of a home for memories that are always shown: about the work, and about the owner. */
export const memoryFiles = [
  {
    name: "MEMORY.md",
    limit: "memoryFileCharacters",
    isFor: (memory: Pick<Memory, "kind" | "trust">) => memory.kind !== "profile",
  },
  { name: "USER.md", limit: "userFileCharacters", isFor: isOwnProfile },
] as const;

/** True for profiles that the owner wrote or vouched for. Other profiles are recalled as data. */
export function isOwnProfile(memory: Pick<Memory, "kind" | "trust">): boolean {
  return memory.kind === "profile" && memory.trust === "owner";
}

const SEPARATOR = "\n§\n";

/** An entry of a file and the id of its memory. */
export interface FileEntry {
  readonly id: string;
  readonly text: string;
}

export function parseEntries(text: string): readonly string[] {
  return text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .split(/^[ \t]*§[ \t]*$/m)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

export function renderEntries(entries: readonly string[]): string {
  return entries.length === 0 ? "" : `${entries.map((entry) => entry.trim()).join(SEPARATOR)}\n`;
}

/** The length that the limit counts, without the final line end. */
export function countEntryCharacters(entries: readonly string[]): number {
  return renderEntries(entries).trimEnd().length;
}

/** False if the text would be read back as several entries or as none. */
export function fitsInEntry(text: string): boolean {
  const entries = parseEntries(text);
  return entries.length === 1 && entries[0] === text.replaceAll("\r\n", "\n").trim();
}

export interface FileEdits {
  readonly edited: readonly FileEntry[];
  readonly added: readonly string[];
  readonly removed: readonly FileEntry[];
  /** The entries from top to bottom; `id` is null for a new one. */
  readonly order: readonly { readonly id: string | null; readonly text: string }[];
}

/**
 * Returns what was changed in a file since it was last read. A new entry similar to a removed one counts as its edit.
 */
export function diffEntries(known: readonly FileEntry[], now: readonly string[]): FileEdits {
  const left = [...known];
  const order: { id: string | null; text: string }[] = now.map((text) => {
    const at = left.findIndex((entry) => entry.text === text);
    return { id: at === -1 ? null : (left.splice(at, 1)[0]?.id ?? null), text };
  });
  const edited: FileEntry[] = [];
  for (const entry of order.filter((one) => one.id === null)) {
    const alike = left
      .map((before, at) => ({ before, at, similarity: textSimilarity(before.text, entry.text) }))
      .toSorted((a, b) => b.similarity - a.similarity)[0];
    if (alike === undefined || alike.similarity < EDITED) continue;
    left.splice(alike.at, 1);
    entry.id = alike.before.id;
    edited.push({ id: alike.before.id, text: entry.text });
  }
  return { edited, added: order.filter((one) => one.id === null).map((one) => one.text), removed: left, order };
}

const EDITED = 0.5;
