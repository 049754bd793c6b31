import { accessSync, chmodSync, constants } from "node:fs";
import { OldhandError, systemErrorCode } from "./errors.ts";
import { makeFolder } from "./make-folder.ts";

/**
 * Creates the home if it is missing, accessible to its owner only. An existing folder keeps its mode, because others
 * may use it.
 */
export function ensureHome(home: string): void {
  try {
    const made = makeFolder(home, 0o700);
    accessSync(home, constants.W_OK);
    // The mode above is already restricted, but inherited rights (ACLs) may add access.
    if (made !== undefined && process.platform !== "win32") chmodSync(home, 0o700);
  } catch (cause) {
    const code = systemErrorCode(cause);
    const what =
      code === "EEXIST" || code === "ENOTDIR"
        ? "is not a folder"
        : code === "ENOSPC"
          ? "cannot be created: the disk is full"
          : "cannot be created or written";
    throw new OldhandError(code === "ENOSPC" ? "store-full" : "config", `the home ${home} ${what}`, {
      hint: "choose another with --home or OLDHAND_HOME",
      cause,
    });
  }
}
