import { accessSync, constants, statfsSync } from "node:fs";

/** Where Linux keeps files in memory. */
const SHARED_MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * Lets tests keep their files in memory, where the machine has room: they make thousands of small databases, and copying those on a
 * disk takes most of the system's time. A folder that the caller has set stays.
 */
export function keepFilesInMemory(env: NodeJS.ProcessEnv = process.env): void {
  if (env["TMPDIR"] === undefined && isRoomy(SHARED_MEMORY)) env["TMPDIR"] = SHARED_MEMORY;
}

function isRoomy(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    // Other systems have no such folder: files go where they always go.
    return false;
  }
}
