import { randomUUID } from "node:crypto";
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
 * Whole or not at all, also when two write at once or the machine stops in the middle. A link stays a link to the same
 * file. Without a mode, a file that only its owner could read stays so.
 */
export function replaceFile(path: string, text: string, mode?: number): void {
  const there = statSync(path, { throwIfNoEntry: false });
  const real = there === undefined ? path : realpathSync(path);
  // A name of its own for each writer, made anew: another's half, or a link of that name, is never taken for it.
  const fresh = `${real}.${randomUUID()}.oldhand-new`;
  try {
    makeFolder(dirname(real));
    const file = openSync(fresh, "wx", mode ?? (there === undefined ? 0o644 : there.mode & 0o777));
    try {
      writeFileSync(file, text);
      // The new name must not be there before the words are.
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

/** The same for its owner's eyes only, whatever it was before. */
export function replacePrivateFile(path: string, text: string): void {
  replaceFile(path, text, 0o600);
}

/** The file, and the folders above it that are empty then, up to the one that stays. */
export function removeFile(path: string, stays: string): void {
  rmSync(path, { force: true });
  for (let folder = dirname(path); folder !== stays && folder.startsWith(stays); folder = dirname(folder)) {
    if (!existsSync(folder) || readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}
