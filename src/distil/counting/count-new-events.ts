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

/** Somebody who finds something in each event, once. */
export interface EventReader {
  /** How far it has read. */
  readonly cursor: Cursor;
  /** Events come in the order they were stored. */
  read(db: Db, event: MinableEvent): Promise<void> | void;
  /** Stores what was found in a range of events. */
  write(tx: Db, range: { readonly after: number; readonly upTo: number }): Promise<void>;
}

/** Read at a time: few enough to be gone before the next, so that a million cost no more memory than a thousand. */
const PAGE = 250;
/** Written at a time: more of them touch the same pages of the store, and hold up other writers for longer. */
const PAGES = 80;

/** How far it has come: events done, and events in all. */
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

/** Until it had a mark of its own it was counted with the rest. */
async function resetCommandsOnce(db: Db): Promise<void> {
  if ((await readMeta(db, cursors.commands)) !== null) return;
  await db.tx(async (tx) => {
    if ((await lockCursor(tx, cursors.commands)) === 0) await dropRepeats(tx, "commands");
  });
}

/** For who has time, such as an import: what miners count and what suggestions count, in one reading. */
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

/** Brings all that miners count up to what has been digested. */
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
 * Each event is taken up and read once for all who are equally far; those who are behind, such as a pattern that is new to
 * its registry, first read on to where the others are. Only what was found is written under lock.
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
    // Somebody else was faster: what was found is theirs.
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

/** In one order of the cursors, so that no two writers wait for each other. */
async function writeBatch(tx: Db, { due, after }: Batch, upTo: number): Promise<boolean> {
  const ordered = due.toSorted((a, b) => (a.cursor < b.cursor ? -1 : 1));
  for (const { cursor } of ordered) if ((await lockCursor(tx, cursor)) !== after) return false;
  for (const reader of ordered) {
    await reader.write(tx, { after, upTo });
    await writeCursor(tx, reader.cursor, upTo);
  }
  return true;
}
