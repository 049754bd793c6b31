import type { Db } from "./engine/db.ts";

/**
 * Connections of a process in which another thread keeps what is derived up to date. Who reads there takes what is there
 * and catches up only with a little: no request waits for maintenance.
 */
const kept = new WeakSet<Db>();

/** So few new events are taken up in passing. */
const LITTLE = 300;

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
