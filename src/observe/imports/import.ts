import { accessSync, constants, statSync } from "node:fs";
import type { Context } from "../../context.ts";
import { isFailure, type NewEvent } from "../../domain/event/event.ts";
import type { Change } from "../../domain/journal.ts";
import { DAY, systemClock } from "../../lib/clock.ts";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";
import { throwIfStopped } from "../../lib/stopped.ts";
import type { Db } from "../../store/engine/db.ts";
import { appendNewEvents } from "../../store/events/events.ts";
import { countImportedEvents, noteImportedEvents } from "../../store/events/imported-sessions.ts";
import { filterOutPurged } from "../../store/events/purged.ts";
import { liftTombstones } from "../../store/events/tombstones.ts";
import { type EventBatch, readEventBatches, type ImportFilter } from "./read-file.ts";
import type { WithLock } from "./thread-lock.ts";
import type { SkippedItems } from "../stores/other-store.ts";
import { readOffTimes, type OffTimes } from "../off-times.ts";
import { newStoredPromptCheck } from "./nameless-prompts.ts";

export interface ImportResult {
  readonly sessions: number;
  readonly events: number;
  readonly failures: number;
  /** Rules and memories from another product's store; transcripts have none. */
  readonly rules: number;
  readonly memories: number;
  readonly goals: number;
  readonly tasks: number;
  /** Comments, entries of the execution log and of the ledger, snapshots. */
  readonly others: number;
  /** Items that were stored already, could not be read, or are left out. */
  readonly skipped: number;
  readonly leftOut: readonly SkippedItems[];
}

/** Adds two results; items left out for the same reason are counted together. */
export function addImportResults(a: ImportResult, b: ImportResult): ImportResult {
  const leftOut = [...a.leftOut];
  for (const one of b.leftOut) {
    const at = leftOut.findIndex((other) => other.what === one.what && other.why === one.why);
    if (at === -1) leftOut.push(one);
    else leftOut[at] = { ...one, count: one.count + (leftOut[at]?.count ?? 0) };
  }
  return {
    sessions: a.sessions + b.sessions,
    events: a.events + b.events,
    failures: a.failures + b.failures,
    rules: a.rules + b.rules,
    memories: a.memories + b.memories,
    goals: a.goals + b.goals,
    tasks: a.tasks + b.tasks,
    others: a.others + b.others,
    skipped: a.skipped + b.skipped,
    leftOut,
  };
}

export const emptyImportResult: ImportResult = {
  sessions: 0,
  events: 0,
  failures: 0,
  rules: 0,
  memories: 0,
  goals: 0,
  tasks: 0,
  others: 0,
  skipped: 0,
  leftOut: [],
};

export interface FileToImport {
  readonly path: string;
  /** Its format; null to detect it. */
  readonly from: string | null;
}

/** Called with the number of events stored and bytes read so far. */
export type OnStored = (events: number, bytes: number) => void;

export interface ImportContext extends Pick<Context, "db" | "config"> {
  /** Checked between two batches. */
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
  readonly onStored?: OnStored | undefined;
  /** Serialises writes if other threads store at the same time. */
  readonly withLock?: WithLock | undefined;
}

/** Imports one file. Repeating it changes nothing; a truncated file is stored up to the damage. */
export async function importFile(
  ctx: ImportContext,
  { path, from }: FileToImport,
  filter: ImportFilter = {},
): Promise<ImportResult> {
  refuseUnreadable(path);
  refuseFolder(path);
  const tally = newImportTally(ctx.db, ctx.withLock, filter.again);
  const off = readOffTimesFor(ctx.config.home, filter);
  const { observe: policy } = ctx.config.policy;
  let events = 0;
  try {
    for await (const batch of readEventBatches({ path, from, filter, policy, off })) {
      if (ctx.signal) throwIfStopped(ctx.signal);
      await tally.add(batch);
      ctx.onStored?.((events += batch.events.length), batch.bytes);
    }
  } catch (error) {
    if (!isReadError(error)) throw error;
    throw new OldhandError("input", `cannot read all of ${path}: it is damaged or cut short`, {
      hint: "everything before the damage was stored; run the same command again with an undamaged file to continue",
      cause: error,
    });
  }
  return tally.sum();
}

/** When oldhand was off, to leave out what happened then; null if that is included. */
export function readOffTimesFor(home: string, filter: ImportFilter): OffTimes | null {
  return filter.includeOff === true ? null : readOffTimes(home, systemClock.now());
}

/** An error of the disk, or of an invalid or truncated gzip file. */
function isReadError(error: unknown): boolean {
  return /^(Z_|E[A-Z]+$)/.test(systemErrorCode(error)) || (error instanceof OldhandError && isReadError(error.cause));
}

function refuseFolder(path: string): void {
  if (statSync(path).isDirectory())
    throw new OldhandError("input", `cannot import ${path}: it is a folder`, { hint: "give the files in it" });
}

export function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (cause) {
    const missing = systemErrorCode(cause) === "ENOENT";
    throw new OldhandError(
      "input",
      `cannot import ${path}: ${missing ? "there is no such file" : "it cannot be read"}`,
      {
        hint: "check the path; nothing was imported from it",
        cause,
      },
    );
  }
  const stat = statSync(path);
  // A device has no end, and a pipe may block.
  if (!stat.isFile() && !stat.isDirectory())
    throw new OldhandError("input", `cannot import ${path}: it is not a regular file`, {
      hint: "copy its contents to a file first; nothing was imported from it",
    });
}

const offNote = {
  what: "events from while oldhand was off",
  why: "oldhand import --include-off imports them",
};
const forgottenNote = { what: "forgotten events", why: "oldhand import FILE --again imports them again" };

/** Notes that sessions with events of the last day were only imported, because they could be taken for live ones. */
function newRecentNotes(db: Db): (fresh: readonly NewEvent[]) => Promise<void> {
  const known = new Map<string, { stored: number; before?: number }>();
  return async (fresh) => {
    const now = systemClock.now();
    const recent = new Map<string, NewEvent>();
    for (const event of fresh) {
      const key = `${event.host} ${event.session}`;
      const one = known.get(key) ?? { stored: 0 };
      one.stored++;
      known.set(key, one);
      if (event.at > now - DAY) recent.set(key, event);
    }
    for (const [key, event] of recent) {
      const one = known.get(key) ?? { stored: 0 };
      one.before ??= await countImportedEvents(db, event, now);
      await noteImportedEvents(db, event, one.before + one.stored, now);
    }
  };
}

/** Stores events and counts the results. */
export function newImportTally(db: Db, withLock: WithLock = (act) => act(), again = false) {
  const sessions = new Set<string>();
  const isStoredPrompt = newStoredPromptCheck(db);
  const noteRecent = newRecentNotes(db);
  let sum = emptyImportResult;
  return {
    add: async ({ events, skipped, whileOff }: EventBatch): Promise<void> => {
      if (whileOff > 0)
        sum = addImportResults(sum, {
          ...emptyImportResult,
          skipped: whileOff,
          leftOut: [{ ...offNote, count: whileOff }],
        });
      const unknown: NewEvent[] = [];
      for (const event of events) if (!(await isStoredPrompt(event))) unknown.push(event);
      if (again) await withLock(() => liftTombstones(db, unknown));
      const fresh = await appendNewEvents(db, unknown, withLock);
      const forgotten =
        fresh.length === unknown.length ? 0 : unknown.length - (await filterOutPurged(db, unknown)).length;
      if (forgotten > 0)
        sum = addImportResults(sum, { ...emptyImportResult, leftOut: [{ ...forgottenNote, count: forgotten }] });
      for (const event of fresh) sessions.add(`${event.host} ${event.session}`);
      await withLock(() => noteRecent(fresh));
      const failures = fresh.filter(isFailure).length;
      const known = events.length - fresh.length;
      sum = addImportResults(sum, { ...emptyImportResult, events: fresh.length, failures, skipped: skipped + known });
    },
    /** `rows` are new ones that are not journalled. */
    changed: (wanted: number, made: readonly Change<object>[], rows: number): void => {
      const of = (noun: string) => made.filter((change) => change.noun === noun).length;
      const skipped = wanted - made.length - rows;
      const goals = { goals: of("goal"), tasks: of("task"), others: of("mistake") + of("win") + rows };
      sum = addImportResults(sum, {
        ...emptyImportResult,
        rules: of("rule"),
        memories: of("memory"),
        ...goals,
        skipped,
      });
    },
    leave: (one: SkippedItems): void => {
      sum = addImportResults(sum, { ...emptyImportResult, skipped: one.count, leftOut: [one] });
    },
    sum: (): ImportResult => ({ ...sum, sessions: sessions.size }),
  };
}
