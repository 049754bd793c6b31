import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * Records that a hook of this host ran on this machine, as the time of an empty file. The database cannot show that:
 * events also come from imports and from other machines.
 */
export function recordHeartbeat(home: string, host: string, now: number): void {
  const file = fileOf(home, host);
  try {
    utimesSync(file, now / 1_000, now / 1_000);
  } catch {
    first(file);
  }
}

/** When a hook of this host last ran on this machine; null if never. */
export function readLastHeartbeat(home: string, host: string): number | null {
  const stat = statSync(fileOf(home, host), { throwIfNoEntry: false });
  return stat === undefined ? null : Math.round(stat.mtimeMs);
}

function first(file: string): void {
  try {
    makeFolder(join(file, ".."), 0o700);
    writeFileSync(file, "", { mode: 0o600 });
  } catch {
    // Nothing can be written here. The event itself is more important.
  }
}

function fileOf(home: string, host: string): string {
  return join(home, "heard", host);
}
