import { lstatSync, type Stats } from "node:fs";
import { systemErrorCode } from "./errors.ts";

/** Null if nothing is there, also because a folder above it is a file, such as the `.git` of a worktree. A link is not followed. */
export function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOTDIR") throw error;
    return null;
  }
}
