import { accessSync, chmodSync, constants } from "node:fs";
import { OldhandError, systemErrorCode } from "./errors.ts";
import { makeFolder } from "./make-folder.ts";

/** The home, made if it is missing, for its owner's eyes only. A folder that was there keeps the rights it has: it may be anybody's. */
export function ensureHome(home: string): void {
  try {
    const made = makeFolder(home, 0o700);
    accessSync(home, constants.W_OK);
    // A generous umask takes nothing away, but a folder's inherited rights (ACLs) may add some.
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
