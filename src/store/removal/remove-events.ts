import { DAY } from "../../lib/clock.ts";
import type { Db } from "../engine/db.ts";
import { clearCachedResults } from "../state/result-cache.ts";
import { recountDay, recountWorkspaces, unfoldFailures, unfoldRecoveries } from "../derived/event-counts.ts";
import { cursors, lockCursor } from "../state/cursors.ts";
import { tables } from "../state/tables.ts";

/**
 * Deletes events with everything derived from them: rows with their id, words, vectors, kept counts and
 * cached results. Call it inside a transaction. Rows of whole sessions (`sessions`, episodes, summaries) are
 * the caller's task: retention keeps session rows, forgetting a session does not.
 */
export async function removeEvents(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // Excludes the digest, which reads the same events.
  await lockCursor(tx, cursors.digested);
  const sessions = new Map<string, { readonly host: string; readonly session: string }>();
  for (let from = 0; from < ids.length; from += CHUNK)
    for (const one of await removeChunk(tx, ids.slice(from, from + CHUNK)))
      sessions.set(JSON.stringify([one.host, one.session]), one);
  for (const session of sessions.values()) await recountWorkspaces(tx, session);
  // These contain excerpts of events.
  await clearCachedResults(tx, "mistake");
  await clearCachedResults(tx, "proposals");
}

/** Returns the sessions of the removed events. */
async function removeChunk(
  tx: Db,
  ids: readonly number[],
): Promise<readonly { readonly host: string; readonly session: string }[]> {
  const list = ids.map(() => "?").join(", ");
  const days = await tx.all<{ host: string; session: string; day: number }>(
    `select distinct host, session, at / ${DAY} as day from events where id in (${list})`,
    ids,
  );
  await (await tx.dialect.words()).remove(tx, ids);
  await (await tx.dialect.vectors()).remove(tx, "event", ids.map(String));
  // Both read the recoveries, which are deleted below.
  await unfoldRecoveries(tx, await listRemainingFailures(tx, ids));
  await unfoldFailures(tx, ids);
  for (const { name, events = [] } of tables)
    for (const column of events) await tx.run(`delete from ${name} where ${column} in (${list})`, ids);
  for (const one of days) await recountDay(tx, one, one.day);
  return days;
}

/** Failures that remain, but whose recovery is deleted. */
async function listRemainingFailures(tx: Db, recoveries: readonly number[]): Promise<readonly number[]> {
  const list = recoveries.map(() => "?").join(", ");
  const rows = await tx.all<{ failure: number }>(
    `select failure from recoveries where recovery in (${list}) and failure not in (${list}) order by failure`,
    [...recoveries, ...recoveries],
  );
  return rows.map((row) => row.failure);
}

/** Deletes rows that belong to expired events. */
export async function dropOrphans(db: Db): Promise<number> {
  let dropped = 0;
  for (const { name, events = [] } of tables)
    if (name !== "events")
      for (const column of events)
        dropped += await db.run(`delete from ${name} where ${column} < (select min(id) from events)`);
  return dropped;
}

const CHUNK = 500;
