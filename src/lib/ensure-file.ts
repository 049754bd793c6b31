import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { OldhandError, systemErrorCode } from "./errors.ts";

/** Creates a new database readable by its owner only; SQLite gives its side files the same mode. */
export function ensureFile(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === "EISDIR") {
      throw new OldhandError("config", `${path} is a folder, but the database must be a file`, {
        hint: "move the folder away, or choose another home with --home",
        cause,
      });
    }
    if (code === "ENOSPC")
      throw new OldhandError("store-full", `cannot create ${path}: the disk is full`, {
        hint: "free some disk space and try again",
        cause,
      });
    throw new OldhandError("store-readonly", `${path} cannot be written`, {
      hint: `check the permissions of ${dirname(path)}, or choose another home with --home`,
      cause,
    });
  }
}
