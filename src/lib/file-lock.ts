import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { systemClock } from "./clock.ts";
import { OldhandError, systemErrorCode } from "./errors.ts";

const WAIT_MS = 5_000;
/** A lock is held while one small file is written. If it is older than this, its holder was killed. */
const STALE_MS = 10_000;

/** Allows one writer of a file at a time, across processes: `work` can read the file and replace it safely. */
export function withFileLock<T>(path: string, work: () => T): T {
  const lock = `${path}.lock`;
  takeLock(path, lock);
  try {
    return work();
  } finally {
    rmdirSync(lock);
  }
}

function takeLock(path: string, lock: string): void {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      // Atomic: it fails if the folder exists.
      mkdirSync(lock);
      return;
    } catch (cause) {
      if (systemErrorCode(cause) !== "EEXIST")
        throw new OldhandError("config", `${path} cannot be written`, { hint: "nothing was changed", cause });
      if (isStale(lock)) removeStale(lock);
      else if (waited >= WAIT_MS)
        throw new OldhandError("conflict", `${path} is being changed by another process`, {
          hint: `try again; if no other oldhand process runs, remove ${lock}`,
        });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

const PAUSE_MS = 20;

function isStale(lock: string): boolean {
  const there = statSync(lock, { throwIfNoEntry: false });
  return there !== undefined && systemClock.now() - there.mtimeMs > STALE_MS;
}

function removeStale(lock: string): void {
  try {
    rmdirSync(lock);
  } catch {
    // Another process removed it first.
  }
}
