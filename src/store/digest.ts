import { randomUUID } from "node:crypto";
import type { Event } from "../domain/event/event.ts";
import { readCall } from "../domain/event/reading.ts";
import { wordsOf } from "../domain/text/words.ts";
import { endIfStopped, type Stoppable } from "../lib/stopped.ts";
import { isOursToCatchUp, pause, pieceOf } from "./background.ts";
import type { Db } from "./engine/db.ts";
import { findCorrections } from "./corrections.ts";
import { textOfEvent } from "./event-places.ts";
import { digestedOf, eventsAfter, lastEventId, writeReading } from "./events.ts";
import { catchUpCounts, countFault, dropCounts, foldCounts, foldRecoveries } from "./kept-counts.ts";
import { dropKept } from "./kept.ts";
import { cursors, readCursor, takeCursor, writeCursor } from "./cursors.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { foldFacts, makeFactsOnce } from "./fold-facts.ts";
import { findRecoveries, type Tail } from "./recoveries.ts";
import { foldIntoSessions, sessionsWithoutRow } from "./sessions.ts";

const BATCH = 2_000;
/** At which event the word index was last made, and whose turn it is to make it. */
const WORDS_MADE = "words made";
const REBUILDING = "rebuilding words";

/**
 * What is derived from events (their outcome, corrections, recoveries, session rows, facts, kept counts, the word index) is
 * brought up to date by whoever reads it, so that storing an event is one insert and nothing else. Costs what is new, not
 * what is stored; where another thread does it, only a little of that. Stopped, it goes on from there the next time. How many
 * events were taken up.
 */
export async function digest(
  db: Db,
  tell?: (done: number, left: number) => void,
  stop: Stoppable = { aborted: false },
): Promise<number> {
  let total = 0;
  if (!isOursToCatchUp(db, await undigested(db))) return 0;
  await mendWords(db);
  await catchUpCounts(db, undefined, stop);
  await makeFactsOnce(db);
  for (let again = true; again;) {
    again = false;
    const settled = await db.dialect.settledEvents(db);
    for (let tail: Tail | null = null; ;) {
      const done = await digestBatch(db, settled, tail);
      total += done.events;
      tail = done.tail;
      // A correction is an event of its own, stored behind those that were settled.
      if (done.corrections > 0) again = true;
      if (done.tail === null) break;
      endIfStopped(stop);
      tell?.(total, settled - done.tail.upTo);
      await pause(db);
    }
  }
  return total;
}

/** About so many events wait to be digested, or counted: numbers may have gaps. */
export async function undigested(db: Db): Promise<number> {
  const done = [await readCursor(db, cursors.digested), await readCursor(db, cursors.counted)];
  return (await lastEventId(db)) - Math.min(...done);
}

interface Digested {
  /** Without corrections: those were made here. */
  readonly events: number;
  readonly corrections: number;
  /** Null when there is no more. */
  readonly tail: Tail | null;
}

function digestBatch(db: Db, settled: number, tail: Tail | null): Promise<Digested> {
  const batch = pieceOf(db, BATCH);
  return db.tx(async (tx) => {
    const from = await takeCursor(tx, cursors.digested);
    const events = await readAll(tx, await eventsAfter(tx, from, settled, batch));
    const last = events.at(-1);
    if (last === undefined) return { events: 0, corrections: 0, tail: null };
    const observed = events.filter((event) => event.kind !== "correction");
    const corrections = await findCorrections(tx, observed);
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

/** Calls that hooks stored unread are read here, once, by someone who has the time. */
async function readAll(tx: Db, events: readonly Event[]): Promise<readonly Event[]> {
  const read: Event[] = [];
  for (const event of events) {
    if (event.kind !== "call" || event.outcome !== null) read.push(event);
    else {
      const reading = readCall(event);
      await writeReading(tx, event.id, reading);
      read.push({ ...event, ...reading });
    }
  }
  return read;
}

/** A word index that was dropped, or that a migration emptied, is made again; one that is empty for want of words is not, each time. */
async function mendWords(db: Db): Promise<void> {
  const mended = await (await db.dialect.words()).mend(db);
  if (!mended && (await (await db.dialect.words()).totals(db)).rows > 0) return;
  const digested = await readCursor(db, cursors.digested);
  if (digested === 0 || (!mended && (await readMeta(db, WORDS_MADE)) === String(digested))) return;
  await rebuildWords(db);
  await writeMeta(db, WORDS_MADE, String(digested));
}

/** Makes the word index anew from the events digested so far, in batches that let writers through. Of two at once the later goes on. */
export async function rebuildWords(db: Db): Promise<number> {
  const turn = randomUUID();
  const upTo = await db.tx(async (tx) => {
    const mark = await takeCursor(tx, cursors.digested);
    await writeMeta(tx, REBUILDING, turn);
    await (await tx.dialect.words()).drop(tx);
    return mark;
  });
  let total = 0;
  for (let from = 0; ;) {
    const events = await db.tx(async (tx) => {
      await takeCursor(tx, cursors.digested);
      if ((await readMeta(tx, REBUILDING)) !== turn) return [];
      const batch = await eventsAfter(tx, from, upTo, BATCH);
      // A correction's words are its cause's: found once is enough.
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

/** What is derived from events, where it does not fit them any more. */
export interface DerivedFaults {
  /** What is wrong with the word index; null: nothing. */
  readonly words: string | null;
  readonly sessions: readonly { readonly host: string; readonly id: string }[];
  /** What is wrong with the kept counts; null: nothing. */
  readonly counts: string | null;
}

export async function derivedFaults(db: Db): Promise<DerivedFaults> {
  const mark = await readCursor(db, cursors.digested);
  return {
    words: await (await db.dialect.repair()).wordFault(db),
    sessions: await sessionsWithoutRow(db, mark),
    counts: await countFault(db),
  };
}

/** Makes it anew from the events. */
export async function repairDerived(db: Db, faults: DerivedFaults): Promise<void> {
  if (faults.words !== null) {
    await (await db.dialect.repair()).remakeWords(db);
    await rebuildWords(db);
  }
  if (faults.counts !== null) {
    await dropCounts(db);
    await dropKept(db);
    await catchUpCounts(db);
  }
  if (faults.sessions.length > 0)
    await db.tx(async (tx) => {
      const mark = await takeCursor(tx, cursors.digested);
      for (const session of faults.sessions)
        for (let after = 0; ;) {
          const page = await digestedOf(tx, session, { after, upTo: mark, limit: BATCH });
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
    events.map((event) => ({ id: event.id, words: wordsOf(textOfEvent(event)) })).filter((row) => row.words.length > 0),
  );
}
