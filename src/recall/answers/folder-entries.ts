import { type Dirent, opendirSync, readdirSync, statSync } from "node:fs";
import type { Budget } from "./budget.ts";

export interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** What is in a folder, as far as the budget goes; nothing where it cannot be read. Links are not followed. */
export function entriesOf(folder: string, budget: Budget): readonly Entry[] {
  const found: Entry[] = [];
  for (const one of read(folder)) {
    if (!budget.take() || found.length >= MOST) break;
    found.push({ name: one.name, isFolder: one.isDirectory() });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const MOST = 3_000;

function* read(folder: string): Iterable<Dirent> {
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
