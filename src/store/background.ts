import { setImmediate, setTimeout } from "node:timers/promises";
import type { Db } from "./engine/db.ts";

/**
 * Connections of a process in which another thread keeps what is derived up to date. Who reads there takes what is there
 * and catches up only with a little: no request waits for maintenance.
 */
const kept = new WeakSet<Db>();

/** Connections of such a thread: it works in small pieces, with a pause after each, so that others get to write. */
const gentle = new WeakSet<Db>();

/** Connections on which a host waits for us: pieces so small that one can stop after any of them. */
const sliced = new WeakSet<Db>();

/** So few new events are taken up in passing. */
const LITTLE = 300;
const PAUSE_MS = 20;
const PARTS = 5;
const SLICED_PARTS = 20;

export function keptInBackground(db: Db, isKept: boolean): void {
  if (isKept) kept.add(db);
  else kept.delete(db);
}

export function isKeptInBackground(db: Db): boolean {
  return kept.has(db);
}

/** Whether somebody who is behind by so many events is to catch up here and now. */
export function isOursToCatchUp(db: Db, behind: number): boolean {
  return behind <= LITTLE || !kept.has(db);
}

export function workGently(db: Db): void {
  gentle.add(db);
}

export function workInSlices(db: Db): void {
  sliced.add(db);
}

/** How much of a piece of work is done in one transaction. */
export function pieceOf(db: Db, whole: number): number {
  if (sliced.has(db)) return Math.ceil(whole / SLICED_PARTS);
  return gentle.has(db) ? Math.ceil(whole / PARTS) : whole;
}

/** Between two pieces: a process that lives has others to answer meanwhile. */
export async function pause(db: Db): Promise<void> {
  await (gentle.has(db) ? setTimeout(PAUSE_MS) : setImmediate());
}
