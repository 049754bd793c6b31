import type { Event } from "../../domain/event/event.ts";
import { readCall } from "../../domain/cause/read-call.ts";
import { tokenise } from "../../domain/text/tokenise.ts";
import { throwIfStopped, type Stoppable } from "../../lib/stopped.ts";
import { shouldCatchUpHere, pauseBetweenBatches, chooseBatchSize } from "../state/background.ts";
import type { Db } from "../engine/db.ts";
import { addCorrections } from "./corrections.ts";
import { joinEventText } from "../events/searchable-events.ts";
import { listDigestedSessionEvents, listEventsAfter, getLastEventId, writeCallReading } from "../events/events.ts";
import { updateCounts, findCountFault, dropCounts, foldCounts, foldRecoveries } from "./event-counts.ts";
import { clearCachedResults } from "../state/result-cache.ts";
import { cursors, readCursor, lockCursor, writeCursor } from "../state/cursors.ts";
import { readMeta, writeMeta } from "../state/meta.ts";
import { foldFacts, backfillFacts } from "./fold-facts.ts";
import { rereadCalls } from "./reread-calls.ts";
import { findRecoveries, type BatchTail } from "./recoveries.ts";
import { foldIntoSessions, listSessionsWithoutRow } from "../sessions/sessions.ts";

const BATCH = 2_000;
/** The row of `meta` with the event at which the word index was last rebuilt. */
const WORDS_MADE = "words made";
/** The row of `meta` with the id of the current rebuild. */
const REBUILDING = "rebuilding words";

/**
 * Updates everything derived from events (outcomes, corrections, recoveries, session rows, facts, kept
 * counts, the word index). Readers start it, so that storing an event is one insert. The cost depends on what
 * is new. If much is new and a background thread of this process digests, it returns 0 at once. A run that is stopped
 * continues at the cursor next time. Returns the number of events processed.
 */
export async function digest(
  db: Db,
  onProgress?: (done: number, left: number) => void,
  stop: Stoppable = { aborted: false },
): Promise<number> {
  let total = 0;
  if (!shouldCatchUpHere(db, await countUndigested(db))) return 0;
  await repairWordIndex(db);
  await rereadCalls(db, { stop });
  await updateCounts(db, undefined, stop);
  await backfillFacts(db);
  for (let again = true; again;) {
    again = false;
    const settled = await db.dialect.settledEvents(db);
    for (let tail: BatchTail | null = null; ;) {
      const done = await digestBatch(db, settled, tail);
      total += done.events;
      tail = done.tail;
      // A correction is a new event, stored after the settled ones.
      if (done.corrections > 0) again = true;
      if (done.tail === null) break;
      throwIfStopped(stop);
      onProgress?.(total, settled - done.tail.upTo);
      await pauseBetweenBatches(db);
    }
  }
  // After a restore, the outcomes of its calls are determined again once all of them are digested.
  if ((await rereadCalls(db, { stop })) > 0) await updateCounts(db, undefined, stop);
  return total;
}

/** About how many events wait to be digested or counted; ids may have gaps. */
export async function countUndigested(db: Db): Promise<number> {
  const done = [await readCursor(db, cursors.digested), await readCursor(db, cursors.counted)];
  return (await getLastEventId(db)) - Math.min(...done);
}

interface DigestedBatch {
  /** Without corrections, which are created here. */
  readonly events: number;
  readonly corrections: number;
  /** Null if there are no more. */
  readonly tail: BatchTail | null;
}

function digestBatch(db: Db, settled: number, tail: BatchTail | null): Promise<DigestedBatch> {
  const batch = chooseBatchSize(db, BATCH);
  return db.tx(async (tx) => {
    const from = await lockCursor(tx, cursors.digested);
    const events = await determineOutcomes(tx, await listEventsAfter(tx, from, settled, batch));
    const last = events.at(-1);
    if (last === undefined) return { events: 0, corrections: 0, tail: null };
    const observed = events.filter((event) => event.kind !== "correction");
    const corrections = await addCorrections(tx, observed);
    const { late, ...next } = await findRecoveries(tx, observed, tail?.upTo === from ? tail.calls : null);
    await foldIntoSessions(tx, observed);
    await foldCounts(tx, { after: from, upTo: last.id });
    await foldRecoveries(tx, late);
    await foldFacts(tx, observed, next.calls);
    await indexWords(tx, observed);
    await writeCursor(tx, cursors.digested, last.id);
    return { events: observed.length, corrections, tail: events.length < batch ? null : { ...next, upTo: last.id } };
  });
}

/** Determines the outcome of calls that hooks stored without it. */
async function determineOutcomes(tx: Db, events: readonly Event[]): Promise<readonly Event[]> {
  const read: Event[] = [];
  for (const event of events) {
    if (event.kind !== "call" || event.outcome !== null) read.push(event);
    else {
      const reading = readCall(event);
      await writeCallReading(tx, event.id, reading);
      read.push({ ...event, ...reading });
    }
  }
  return read;
}

/** Rebuilds a word index that was dropped or emptied by a migration. If no event has words, it does so once for each cursor position. */
async function repairWordIndex(db: Db): Promise<void> {
  const mended = await (await db.dialect.words()).mend(db);
  if (!mended && (await (await db.dialect.words()).totals(db)).rows > 0) return;
  const digested = await readCursor(db, cursors.digested);
  if (digested === 0 || (!mended && (await readMeta(db, WORDS_MADE)) === String(digested))) return;
  await rebuildWordIndex(db);
  await writeMeta(db, WORDS_MADE, String(digested));
}

/**
 * Rebuilds the word index from the digested events, in batches that let other writers through. If two
 * rebuilds overlap, the one that started later goes on and the other stops.
 */
export async function rebuildWordIndex(db: Db): Promise<number> {
  const rebuildId = crypto.randomUUID();
  const upTo = await db.tx(async (tx) => {
    const cursor = await lockCursor(tx, cursors.digested);
    await writeMeta(tx, REBUILDING, rebuildId);
    await (await tx.dialect.words()).drop(tx);
    return cursor;
  });
  let total = 0;
  for (let from = 0; ;) {
    const events = await db.tx(async (tx) => {
      await lockCursor(tx, cursors.digested);
      if ((await readMeta(tx, REBUILDING)) !== rebuildId) return [];
      const batch = await listEventsAfter(tx, from, upTo, BATCH);
      // A correction has the words of its cause, so it is not indexed.
      await indexWords(
        tx,
        batch.filter((event) => event.kind !== "correction"),
      );
      return batch;
    });
    total += events.length;
    from = events.at(-1)?.id ?? upTo;
    if (events.length < BATCH) return total;
  }
}

/** Derived data that no longer fits the events. */
export interface DerivedFaults {
  /** What is wrong with the word index; null if nothing. */
  readonly words: string | null;
  readonly sessions: readonly { readonly host: string; readonly id: string }[];
  /** What is wrong with the kept counts; null if nothing. */
  readonly counts: string | null;
}

export async function findDerivedFaults(db: Db): Promise<DerivedFaults> {
  const cursor = await readCursor(db, cursors.digested);
  return {
    words: await (await db.dialect.repair()).wordFault(db),
    sessions: await listSessionsWithoutRow(db, cursor),
    counts: await findCountFault(db),
  };
}

/** Recomputes it from the events. */
export async function repairDerived(db: Db, faults: DerivedFaults): Promise<void> {
  if (faults.words !== null) {
    await (await db.dialect.repair()).remakeWords(db);
    await rebuildWordIndex(db);
  }
  if (faults.counts !== null) {
    await dropCounts(db);
    await clearCachedResults(db);
    await updateCounts(db);
  }
  if (faults.sessions.length > 0)
    await db.tx(async (tx) => {
      const cursor = await lockCursor(tx, cursors.digested);
      for (const session of faults.sessions)
        for (let after = 0; ;) {
          const page = await listDigestedSessionEvents(tx, session, { after, upTo: cursor, limit: BATCH });
          await foldIntoSessions(
            tx,
            page.filter((event) => event.kind !== "correction"),
          );
          const last = page.at(-1);
          if (last === undefined || page.length < BATCH) break;
          after = last.id;
        }
    });
}

async function indexWords(tx: Db, events: readonly Event[]): Promise<void> {
  return (await tx.dialect.words()).index(
    tx,
    events
      .map((event) => ({ id: event.id, words: tokenise(joinEventText(event)) }))
      .filter((row) => row.words.length > 0),
  );
}
