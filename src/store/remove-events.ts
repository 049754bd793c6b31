import { DAY } from "../lib/clock.ts";
import type { Db } from "./engine/db.ts";
import { dropKept } from "./kept.ts";
import { recountDay, unfoldFailures } from "./kept-counts.ts";
import { takeMark } from "./meta.ts";

const CHUNK = 500;

/**
 * Deletes events, and takes them out of all that is derived of each event: the word index, recoveries, kept counts and
 * kept answers. Inside a transaction. Rows of whole sessions (`sessions`, episodes, summaries), tries, repeats and
 * vectors are the caller's: retention keeps session rows, forgetting a session does not.
 */
export async function removeEvents(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // One at a time with the digest, which folds into the same counts.
  await takeMark(tx, "digested");
  for (let from = 0; from < ids.length; from += CHUNK) await removeSome(tx, ids.slice(from, from + CHUNK));
  // They quote events.
  await dropKept(tx, "mistake");
  await dropKept(tx, "proposals");
}

async function removeSome(tx: Db, ids: readonly number[]): Promise<void> {
  const list = ids.map(() => "?").join(", ");
  const days = await tx.all<{ host: string; session: string; day: number }>(
    `select distinct host, session, at / ${DAY} as day from events where id in (${list}) and kind = 'call'`,
    ids,
  );
  await (await tx.dialect.words()).remove(tx, ids);
  await unfoldFailures(tx, ids);
  await tx.run(`delete from recoveries where failure in (${list})`, ids);
  await tx.run(`delete from events where id in (${list})`, ids);
  for (const one of days) await recountDay(tx, one, one.day);
}
