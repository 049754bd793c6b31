import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * That a hook of this host fired, on this machine, now: the time of an empty file. An import says nothing of that, and
 * a mind that many machines share does not either.
 */
export function recordHeartbeat(home: string, host: string, now: number): void {
  const file = fileOf(home, host);
  try {
    utimesSync(file, now / 1_000, now / 1_000);
  } catch {
    first(file);
  }
}

/** When a hook of this host last fired here; null: never. */
export function readLastHeartbeat(home: string, host: string): number | null {
  const stat = statSync(fileOf(home, host), { throwIfNoEntry: false });
  return stat === undefined ? null : Math.round(stat.mtimeMs);
}

function first(file: string): void {
  try {
    makeFolder(join(file, ".."), 0o700);
    writeFileSync(file, "", { mode: 0o600 });
  } catch {
    // Nothing can be written here; the event matters more than its time.
  }
}

function fileOf(home: string, host: string): string {
  return join(home, "heard", host);
}
