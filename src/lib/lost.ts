import { appendFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * Adds one byte for each payload that could be neither stored nor spooled. Appending a byte works even if everything
 * else is broken.
 */
export function countLost(home: string): void {
  try {
    makeFolder(home, 0o700);
    appendFileSync(join(home, "lost"), ".", { mode: 0o600 });
  } catch {
    // Nothing can be written, so the loss cannot be recorded.
  }
}

export function lostCount(home: string): number {
  const file = join(home, "lost");
  return existsSync(file) ? statSync(file).size : 0;
}
