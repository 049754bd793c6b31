import type { Event } from "../../domain/event/event.ts";
import { isFailure } from "../../domain/event/event.ts";
import { readCall, readingVersion, toRawCall } from "../../domain/cause/read-call.ts";
import { throwIfStopped, type Stoppable } from "../../lib/stopped.ts";
import type { Db } from "../engine/db.ts";
import { getLastEventId, listEventsAfter, writeCallReading } from "../events/events.ts";
import { chooseBatchSize, pauseBetweenBatches } from "../state/background.ts";
import { clearCachedResults } from "../state/result-cache.ts";
import { cursors, lockCursor, readCursor, writeCursor } from "../state/cursors.ts";
import { readMeta, writeMeta } from "../state/meta.ts";
import { countTableNames } from "./event-counts.ts";
import { dropFactsShownBy } from "./facts.ts";
import { foldFacts } from "./fold-facts.ts";
import { findRecoveriesAgain } from "./recoveries.ts";
import { repeatKinds, dropRepeats } from "./repeats.ts";

/** The version of the laws by which all digested calls were read. */
const READ_BY = "calls read by";
/** How many calls of the current pass are read differently now. */
const READ_OTHERWISE = "calls read otherwise";
/** Instead of a version: the calls up to this event came from a backup. */
const RESTORED = "restored up to ";
const BATCH = 2_000;
/** A reader waits for this many; the next one continues. */
const MOST_AT_ONCE = 4_000;

/** Calls from a backup were read by the version that wrote it. They are read again when all of them are digested. */
export async function markCallsRestored(tx: Db): Promise<void> {
  await writeMeta(tx, READ_BY, `${RESTORED}${await getLastEventId(tx)}`);
}

/** True if stored calls were read by other laws than the current ones. */
export async function areCallsReadByOlderLaws(db: Db): Promise<boolean> {
  return (await readMeta(db, READ_BY)) !== readingVersion && (await readCursor(db, cursors.digested)) > 0;
}

/** True if calls of a backup are not digested yet: what is counted from them must be there before it can be changed. */
async function areRestoredCallsUndigested(db: Db): Promise<boolean> {
  const readBy = await readMeta(db, READ_BY);
  if (readBy?.startsWith(RESTORED) !== true) return false;
  return (await readCursor(db, cursors.digested)) < Number(readBy.slice(RESTORED.length));
}

/**
 * Reads stored calls again if the laws of outcomes have changed since, in batches, at most `most` of them. When all are
 * read and some have another outcome now, the counts that depend on it are dropped; their readers make them again.
 * Returns how many calls are read differently.
 */
export async function rereadCalls(
  db: Db,
  { most = MOST_AT_ONCE, stop = { aborted: false } }: { readonly most?: number; readonly stop?: Stoppable } = {},
): Promise<number> {
  let changed = 0;
  for (let read = 0; read < most;) {
    if ((await readMeta(db, READ_BY)) === readingVersion || (await areRestoredCallsUndigested(db))) return changed;
    const batch = await db.tx(rereadBatch(chooseBatchSize(db, BATCH)));
    changed += batch.changed;
    if (batch.isLast) return changed;
    read += batch.read;
    await pauseBetweenBatches(db);
    throwIfStopped(stop);
  }
  return changed;
}

function rereadBatch(size: number) {
  return async (tx: Db) => {
    // Excludes the digest, which reads and counts the same events.
    const digested = await lockCursor(tx, cursors.digested);
    const from = await readCursor(tx, cursors.reread);
    const events = await listEventsAfter(tx, from, digested, size);
    const changed: Event[] = [];
    for (const event of events) changed.push(...(await rereadCall(tx, event)));
    if (changed.length > 0) {
      await findRecoveriesAgain(tx, changed);
      await dropFactsShownBy(
        tx,
        changed.filter((event) => !isFailure(event)).map((event) => event.id),
      );
      await foldFacts(tx, changed.filter(isFailure));
    }
    const otherwise = Number((await readMeta(tx, READ_OTHERWISE)) ?? 0) + changed.length;
    await writeMeta(tx, READ_OTHERWISE, String(otherwise));
    const isLast = events.length < size;
    await writeCursor(tx, cursors.reread, events.at(-1)?.id ?? digested);
    if (isLast) await finish(tx, otherwise);
    return { read: events.length, changed: changed.length, isLast };
  };
}

/** The call as it is read now, if that is something else. What a person or a guard stopped did not run, and stays. */
async function rereadCall(tx: Db, event: Event): Promise<readonly Event[]> {
  if (event.kind !== "call" || (event.outcome !== "ok" && event.outcome !== "failed")) return [];
  const reading = readCall(toRawCall(event));
  const now = { ...event, ...reading };
  const isSame = (["outcome", "benign", "signature", "head"] as const).every((field) => event[field] === now[field]);
  if (isSame) return [];
  await writeCallReading(tx, event.id, reading);
  const more = Number(isFailure(now)) - Number(isFailure(event));
  if (more !== 0)
    await tx.run("update sessions set failures = failures + ? where id = ? and host = ?", [
      more,
      event.session,
      event.host,
    ]);
  return [now];
}

async function finish(tx: Db, changed: number): Promise<void> {
  await writeMeta(tx, READ_BY, readingVersion);
  await writeMeta(tx, READ_OTHERWISE, "0");
  await writeCursor(tx, cursors.reread, 0);
  if (changed === 0) return;
  for (const table of [...countTableNames, "tries", "tried_groups", "rule_sessions"])
    await tx.run(`delete from ${table}`);
  for (const cursor of [cursors.counted, cursors.tried, cursors.repeated, cursors.commands])
    await writeCursor(tx, cursor, 0);
  for (const kind of repeatKinds) if (kind !== "bypasses") await dropRepeats(tx, kind);
  await tx.run("delete from meta where key like 'repeats mined for %'");
  await tx.run("update rule_marks set up_to = 0");
  for (const name of ["mistake", "proposals", "recount"] as const) await clearCachedResults(tx, name);
}
