import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { OldhandError, systemErrorCode } from "./errors.ts";
import { makeFolder } from "./make-folder.ts";

/**
 * Replaces a file atomically, also with several writers or a crash in between. A link keeps pointing to the same
 * file. Without `mode`, the file keeps its mode.
 */
export function replaceFile(path: string, text: string, mode?: number): void {
  const there = statSync(path, { throwIfNoEntry: false });
  const real = there === undefined ? path : realpathSync(path);
  // Each writer creates its own new file, so it never writes into another's unfinished file or through a link.
  const fresh = `${real}.${crypto.randomUUID()}.oldhand-new`;
  try {
    makeFolder(dirname(real));
    const file = openSync(fresh, "wx", mode ?? (there === undefined ? 0o644 : there.mode & 0o777));
    try {
      writeFileSync(file, text);
      // The content must be on disk before the file is renamed.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, real);
  } catch (cause) {
    rmSync(fresh, { force: true });
    const isFull = systemErrorCode(cause) === "ENOSPC";
    const why = isFull ? ": the disk is full" : "";
    throw new OldhandError(isFull ? "store-full" : "config", `${path} cannot be written${why}`, {
      hint: "nothing was changed",
      cause,
    });
  }
}

/** The same, readable by its owner only, whatever its mode was. */
export function replacePrivateFile(path: string, text: string): void {
  replaceFile(path, text, 0o600);
}

/** Removes the file and its parent folders that are empty then, up to `stays` (exclusive). */
export function removeFile(path: string, stays: string): void {
  rmSync(path, { force: true });
  for (let folder = dirname(path); folder !== stays && folder.startsWith(stays); folder = dirname(folder)) {
    if (!existsSync(folder) || readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}
