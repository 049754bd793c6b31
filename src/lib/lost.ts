import { appendFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";

/** One byte for each payload that could be neither stored nor kept: the truth about losses, whatever else is broken. */
export function countLost(home: string): void {
  try {
    makeFolder(home, 0o700);
    appendFileSync(join(home, "lost"), ".", { mode: 0o600 });
  } catch {
    // Nothing can be written at all; there is no one to tell.
  }
}

export function lostCount(home: string): number {
  const file = join(home, "lost");
  return existsSync(file) ? statSync(file).size : 0;
}
