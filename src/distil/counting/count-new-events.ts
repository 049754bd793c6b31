import type { Context } from "../../context.ts";
import type { Bypass } from "../../domain/skills/registry.ts";
import { throwIfStopped, type Stoppable } from "../../lib/stopped.ts";
import { shouldCatchUpHere, pauseBetweenBatches, chooseBatchSize } from "../../store/state/background.ts";
import type { Db } from "../../store/engine/db.ts";
import { type MinableEvent, listMinableEventsAfter } from "../../store/events/events.ts";
import { type Cursor, cursors, readCursor, lockCursor, writeCursor } from "../../store/state/cursors.ts";
import { readMeta } from "../../store/state/meta.ts";
import { dropRepeats } from "../../store/derived/repeats.ts";
import { makeBypassReader, makeCommandsReader, makeRepeatsReader } from "./read-repeats.ts";
import { makeTriesReader } from "./read-tries.ts";

/** Reads each event once and counts something in it. */
export interface EventReader {
  /** The name of the cursor with its position. */
  readonly cursor: Cursor;
  /** Events come in the order they were stored. */
  read(db: Db, event: MinableEvent): Promise<void> | void;
  /** Stores what was counted in a range of events. */
  write(tx: Db, range: { readonly after: number; readonly upTo: number }): Promise<void>;
}

/** Events read at a time. Small, so that memory use does not grow with the number of events. */
const PAGE = 250;
/** Pages per write. More would touch the same database pages less often, but block other writers for longer. */
const PAGES = 80;

/** Progress: events done, and events in total. */
export type ReportCount = (done: number, all: number) => void;

interface Stop {
  readonly signal: Stoppable;
}

export function countNewTries(ctx: Pick<Context, "db" | "signal">): Promise<void> {
  return runReaders(ctx, async () => [await makeTriesReader(ctx.db)]);
}

export async function countNewCommands(ctx: Pick<Context, "db" | "signal">): Promise<void> {
  await resetCommandsOnce(ctx.db);
  return runReaders(ctx, async () => [makeCommandsReader()]);
}

/** Before commands had a cursor, they were counted with the other repeats; drops those counts once. */
async function resetCommandsOnce(db: Db): Promise<void> {
  if ((await readMeta(db, cursors.commands)) !== null) return;
  await db.tx(async (tx) => {
    if ((await lockCursor(tx, cursors.commands)) === 0) await dropRepeats(tx, "commands");
  });
}

/** For callers that have time, such as an import: counts for the miners and for suggestions, in one pass. */
export async function countNewEvents(
  ctx: Pick<Context, "db" | "config" | "signal">,
  onProgress?: ReportCount,
): Promise<void> {
  await resetCommandsOnce(ctx.db);
  const readers = async () => [
    await makeTriesReader(ctx.db),
    makeRepeatsReader(ctx.config.policy.observe.recoveryWithin),
    makeCommandsReader(),
  ];
  return runReaders(ctx, readers, onProgress);
}

/** Updates all counts of the miners up to the last digested event. */
export function countNewForMiners(
  ctx: Pick<Context, "db" | "config"> & Stop,
  bypasses: readonly Bypass[],
): Promise<void> {
  return runReaders(ctx, async () => [
    await makeTriesReader(ctx.db),
    makeRepeatsReader(ctx.config.policy.observe.recoveryWithin),
    ...bypasses.map(makeBypassReader),
  ]);
}

/**
 * Reads each event once for all readers at the same position. Readers that are behind, such as a pattern new
 * to its registry, first catch up with the others. Only the write is under lock.
 */
async function runReaders(
  { db, signal }: Pick<Context, "db"> & Stop,
  makeReaders: () => Promise<readonly EventReader[]>,
  onProgress?: ReportCount,
): Promise<void> {
  let readers = await makeReaders();
  for (;;) {
    const batch = await nextBatch(db, readers);
    if (batch === null || !shouldCatchUpHere(db, batch.next - batch.after)) return;
    const upTo = await readPages(db, batch);
    onProgress?.(upTo, batch.next);
    // Another process was faster and has stored the same counts.
    if (!(await db.tx((tx) => writeBatch(tx, batch, upTo)))) readers = await makeReaders();
    await pauseBetweenBatches(db);
    throwIfStopped(signal);
  }
}

interface Batch {
  readonly due: readonly EventReader[];
  readonly after: number;
  readonly next: number;
}

async function nextBatch(db: Db, readers: readonly EventReader[]): Promise<Batch | null> {
  const positions = new Map<EventReader, number>();
  for (const reader of readers) positions.set(reader, await readCursor(db, reader.cursor));
  const end = await readCursor(db, cursors.digested);
  const after = Math.min(...positions.values());
  if (after >= end) return null;
  return {
    due: readers.filter((reader) => positions.get(reader) === after),
    after,
    next: Math.min(end, ...[...positions.values()].filter((position) => position > after)),
  };
}

async function readPages(db: Db, { due, after, next }: Batch): Promise<number> {
  let at = after;
  const most = chooseBatchSize(db, PAGES);
  for (let pages = 0; pages < most && at < next; pages++) {
    const events = await listMinableEventsAfter(db, at, next, PAGE);
    for (const event of events)
      for (const reader of due) {
        const reading = reader.read(db, event);
        if (reading !== undefined) await reading;
      }
    at = events.length < PAGE ? next : (events.at(-1)?.id ?? next);
  }
  return at;
}

/** Locks the cursors in a fixed order, so that two writers cannot deadlock. False if a cursor has moved. */
async function writeBatch(tx: Db, { due, after }: Batch, upTo: number): Promise<boolean> {
  const ordered = due.toSorted((a, b) => (a.cursor < b.cursor ? -1 : 1));
  for (const { cursor } of ordered) if ((await lockCursor(tx, cursor)) !== after) return false;
  for (const reader of ordered) {
    await reader.write(tx, { after, upTo });
    await writeCursor(tx, reader.cursor, upTo);
  }
  return true;
}
