import { type Dirent, opendirSync, readdirSync, statSync } from "node:fs";
import type { LookupBudget } from "./lookup-budget.ts";

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** What is in a folder, as far as the budget goes; nothing where it cannot be read. Links are not followed. */
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
    // Piece by piece: a folder of a million files would take a second as a whole.
    const open = opendirSync(folder, { bufferSize: 256 });
    try {
      for (let one = open.readSync(); one !== null; one = open.readSync()) yield one;
    } finally {
      open.closeSync();
    }
  } catch {
    // Gone, or not for us to read: then there is nothing to tell of it.
  }
}

/** A folder's own size, in bytes, up to which it is read at once: some thousand names. */
const SMALL = 200_000;
