import { type Dirent, opendirSync, readdirSync, statSync } from "node:fs";
import type { LookupBudget } from "./lookup-budget.ts";

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** The entries of a folder, within the budget; empty if it cannot be read. Links are not followed. */
export function listFolderEntries(folder: string, budget: LookupBudget): readonly FolderEntry[] {
  const found: FolderEntry[] = [];
  for (const one of readFolder(folder)) {
    if (!budget.take() || found.length >= MOST) break;
    found.push({ name: one.name, isFolder: one.isDirectory() });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const MOST = 3_000;

function* readFolder(folder: string): Iterable<Dirent> {
  try {
    const { size } = statSync(folder);
    if (size > 0 && size <= SMALL) return yield* readdirSync(folder, { withFileTypes: true });
    // In pieces: reading a folder of a million files at once would take a second.
    const open = opendirSync(folder, { bufferSize: 256 });
    try {
      for (let one = open.readSync(); one !== null; one = open.readSync()) yield one;
    } finally {
      open.closeSync();
    }
  } catch {
    // Missing or unreadable: no entries.
  }
}

/** Up to this size of the folder itself, in bytes, it is read at once: a few thousand names. */
const SMALL = 200_000;
