import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { relativePathWithin } from "../../domain/workspace.ts";
import { isWithin } from "../../lib/within.ts";
import type { AnswerLookup } from "./answer.ts";

/** A file or folder of the workspace that an answer may mention. */
export interface OpenPath {
  readonly full: string;
  /** Relative to the workspace, with slashes; empty for the workspace itself. */
  readonly within: string;
  readonly isFolder: boolean;
  readonly size: number;
}

/** Null if it is missing, outside the workspace, or hidden and not used by the session itself. */
export async function openWorkspacePath(
  around: AnswerLookup,
  path: string,
  from: readonly string[],
): Promise<OpenPath | null> {
  for (const base of [...from, around.root]) {
    const full = resolve(base, path);
    const within = relativePathWithin(around.root, full);
    if (within === null) continue;
    const stat = statIfThere(full);
    if (stat === null || !isWithin(full, around.root)) continue;
    const isFolder = stat.isDirectory();
    if (around.isHidden(within, isFolder) && within !== "" && !(await around.wasUsed(within))) return null;
    return { full, within, isFolder, size: stat.size };
  }
  return null;
}

function statIfThere(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // A parent of the path is a file, so the path does not exist.
    return null;
  }
}

/** The start of a file; null if it is unreadable or not text. Skips pipes and devices: reading them may never end. */
export function readFileStart(path: string, most: number): string | null {
  try {
    if (!statSync(path).isFile()) return null;
    const file = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(Math.min(most, Math.max(1, statSync(path).size)));
      const text = buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, 0));
      return text.includes("\0") ? null : text;
    } finally {
      closeSync(file);
    }
  } catch {
    // No permission to read it.
    return null;
  }
}

/** The text of a file in a folder of the workspace; null if it is missing or may not be read. */
export function readWorkspaceText(
  around: Pick<AnswerLookup, "root">,
  folder: string,
  name: string,
  most = 200_000,
): string | null {
  const path = join(folder, name);
  return relativePathWithin(around.root, path) !== null && statIfThere(path) !== null && isWithin(path, around.root)
    ? readFileStart(path, most)
    : null;
}
