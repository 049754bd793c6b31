import { setImmediate, setTimeout } from "node:timers/promises";
import type { Db } from "../engine/db.ts";

/**
 * Connections of a process in which another thread keeps what is derived up to date. Who reads there takes what is there
 * and catches up only with a little: no request waits for maintenance.
 */
const refreshedInBackground = new WeakSet<Db>();

/** Connections of such a thread: it works in small pieces, with a pause after each, so that others get to write. */
const throttled = new WeakSet<Db>();

/** Connections on which a host waits for us: pieces so small that one can stop after any of them. */
const slicedWork = new WeakSet<Db>();

/** So few new events are taken up in passing. */
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

/** Whether somebody who is behind by so many events is to catch up here and now. */
export function shouldCatchUpHere(db: Db, behind: number): boolean {
  return behind <= MAX_INLINE_EVENTS || !refreshedInBackground.has(db);
}

export function setThrottled(db: Db): void {
  throttled.add(db);
}

export function setSliced(db: Db): void {
  slicedWork.add(db);
}

/** How much of a piece of work is done in one transaction. */
export function chooseBatchSize(db: Db, whole: number): number {
  if (slicedWork.has(db)) return Math.ceil(whole / SLICED_PARTS);
  return throttled.has(db) ? Math.ceil(whole / THROTTLED_PARTS) : whole;
}

/** Between two pieces: a process that lives has others to answer meanwhile. */
export async function pauseBetweenBatches(db: Db): Promise<void> {
  await (throttled.has(db) ? setTimeout(PAUSE_MS) : setImmediate());
}
