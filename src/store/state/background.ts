import { setImmediate, setTimeout } from "node:timers/promises";
import type { Db } from "../engine/db.ts";

/**
 * Connections of a process in which another thread updates derived data. Readers use what is there and
 * process only a few new events themselves, so that no request waits for maintenance.
 */
const refreshedInBackground = new WeakSet<Db>();

/** Connections of such a thread: it works in small batches with pauses, so that others can write. */
const throttled = new WeakSet<Db>();

/** Connections of a hook whose host waits: batches so small that work can stop after any of them. */
const slicedWork = new WeakSet<Db>();

/** Up to this many new events are processed by the reader itself. */
const MAX_INLINE_EVENTS = 300;
const PAUSE_MS = 20;
const THROTTLED_PARTS = 5;
const SLICED_PARTS = 20;

export function setRefreshedInBackground(db: Db, isRefreshed: boolean): void {
  if (isRefreshed) refreshedInBackground.add(db);
  else refreshedInBackground.delete(db);
}

export function isRefreshedInBackground(db: Db): boolean {
  return refreshedInBackground.has(db);
}

/** True if a reader that is behind by this many events should process them itself. */
export function shouldCatchUpHere(db: Db, behind: number): boolean {
  return behind <= MAX_INLINE_EVENTS || !refreshedInBackground.has(db);
}

export function setThrottled(db: Db): void {
  throttled.add(db);
}

export function setSliced(db: Db): void {
  slicedWork.add(db);
}

/** The size of a batch, which is one transaction. */
export function chooseBatchSize(db: Db, whole: number): number {
  if (slicedWork.has(db)) return Math.ceil(whole / SLICED_PARTS);
  return throttled.has(db) ? Math.ceil(whole / THROTTLED_PARTS) : whole;
}

/** Call it between two batches, so that a long-running process can answer others. */
export async function pauseBetweenBatches(db: Db): Promise<void> {
  await (throttled.has(db) ? setTimeout(PAUSE_MS) : setImmediate());
}
