import { accessSync, constants, statSync } from "node:fs";
import type { Context } from "../../context.ts";
import { isFailure, type NewEvent } from "../../domain/event/event.ts";
import type { Change } from "../../domain/journal.ts";
import { DAY, systemClock } from "../../lib/clock.ts";
import { OldhandError, systemCodeOf } from "../../lib/errors.ts";
import { endIfStopped } from "../../lib/stopped.ts";
import type { Db } from "../../store/engine/db.ts";
import { appendNewEvents } from "../../store/events.ts";
import { countImported, noteImported } from "../../store/imported-sessions.ts";
import { notPurged } from "../../store/purged.ts";
import { liftTombstones } from "../../store/tombstones.ts";
import { type Batch, batchesOf, type ImportFilter } from "./read-file.ts";
import type { InTurn } from "./turn.ts";
import type { LeftOut } from "../stores/other-store.ts";
import { offTimes, type OffTimes } from "../off-times.ts";
import { toldPrompts } from "./told-prompts.ts";

export interface Imported {
  readonly sessions: number;
  readonly events: number;
  readonly failures: number;
  /** Rules and memories of another product's store; a transcript has none. */
  readonly rules: number;
  readonly memories: number;
  /** What was there already, could not be read, or is left out. */
  readonly skipped: number;
  readonly leftOut: readonly LeftOut[];
}

/** Added up, what was left out for the same reason in one line. */
export function together(a: Imported, b: Imported): Imported {
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
    skipped: a.skipped + b.skipped,
    leftOut,
  };
}

export const nothing: Imported = {
  sessions: 0,
  events: 0,
  failures: 0,
  rules: 0,
  memories: 0,
  skipped: 0,
  leftOut: [],
};

export interface FileToImport {
  readonly path: string;
  /** Its format; null: to be found out. */
  readonly from: string | null;
}

/** Told now and then how many events of the file were stored, and how many of its bytes were read. */
export type TellStored = (events: number, bytes: number) => void;

export interface ImportContext extends Pick<Context, "db" | "config"> {
  /** Looked at between two batches. */
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
  readonly tell?: TellStored | undefined;
  /** Where others store at the same time. */
  readonly inTurn?: InTurn | undefined;
}

/** Brings one file in. The same file again changes nothing; a file cut short is stored up to the cut. */
export async function importFile(
  ctx: ImportContext,
  { path, from }: FileToImport,
  filter: ImportFilter = {},
): Promise<Imported> {
  refuseUnreadable(path);
  refuseFolder(path);
  const tally = newTally(ctx.db, ctx.inTurn, filter.again);
  const off = offFor(ctx.config.home, filter);
  const { observe: policy } = ctx.config.policy;
  let events = 0;
  try {
    for await (const batch of batchesOf({ path, from, filter, policy, off })) {
      if (ctx.signal) endIfStopped(ctx.signal);
      await tally.add(batch);
      ctx.tell?.((events += batch.events.length), batch.bytes);
    }
  } catch (error) {
    if (!isReadError(error)) throw error;
    throw new OldhandError("input", `cannot read all of ${path}: it is damaged or cut short`, {
      hint: "what came before was stored; with a whole file the same command goes on from there",
      cause: error,
    });
  }
  return tally.sum();
}

/** When oldhand was off, for who leaves out what happened then. */
export function offFor(home: string, filter: ImportFilter): OffTimes | null {
  return filter.includeOff === true ? null : offTimes(home, systemClock.now());
}

/** Of the disk, or of a gzip that is none or not whole. */
function isReadError(error: unknown): boolean {
  return /^(Z_|E[A-Z]+$)/.test(systemCodeOf(error)) || (error instanceof OldhandError && isReadError(error.cause));
}

function refuseFolder(path: string): void {
  if (statSync(path).isDirectory())
    throw new OldhandError("input", `cannot import ${path}: it is a folder`, { hint: "name the files in it" });
}

export function refuseUnreadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (cause) {
    const missing = systemCodeOf(cause) === "ENOENT";
    throw new OldhandError(
      "input",
      `cannot import ${path}: ${missing ? "there is no such file" : "it cannot be read"}`,
      {
        hint: "check the path; nothing was changed by it",
        cause,
      },
    );
  }
  const stat = statSync(path);
  // A device has no end, and a pipe keeps its reader waiting.
  if (!stat.isFile() && !stat.isDirectory())
    throw new OldhandError("input", `cannot import ${path}: it is no plain file`, {
      hint: "write what it holds to a file first; nothing was changed by it",
    });
}

const silent = {
  what: "events from while oldhand was off",
  why: "oldhand import --include-off brings them in",
};
const left = { what: "events that were forgotten", why: "oldhand import FILE --again brings them back" };

/** Notes of sessions so new that they could be taken for live ones that they were only imported. */
function newRecent(db: Db): (fresh: readonly NewEvent[]) => Promise<void> {
  const seen = new Map<string, { stored: number; before?: number }>();
  return async (fresh) => {
    const now = systemClock.now();
    const recent = new Map<string, NewEvent>();
    for (const event of fresh) {
      const key = `${event.host} ${event.session}`;
      const one = seen.get(key) ?? { stored: 0 };
      one.stored++;
      seen.set(key, one);
      if (event.at > now - DAY) recent.set(key, event);
    }
    for (const [key, event] of recent) {
      const one = seen.get(key) ?? { stored: 0 };
      one.before ??= await countImported(db, event, now);
      await noteImported(db, event, one.before + one.stored, now);
    }
  };
}

/** Counts while it stores. */
export function newTally(db: Db, inTurn: InTurn = (act) => act(), again = false) {
  const sessions = new Set<string>();
  const isTold = toldPrompts(db);
  const noteRecent = newRecent(db);
  let sum = nothing;
  return {
    add: async ({ events, skipped, whileOff }: Batch): Promise<void> => {
      if (whileOff > 0)
        sum = together(sum, { ...nothing, skipped: whileOff, leftOut: [{ ...silent, count: whileOff }] });
      const unknown: NewEvent[] = [];
      for (const event of events) if (!(await isTold(event))) unknown.push(event);
      if (again) await inTurn(() => liftTombstones(db, unknown));
      const fresh = await appendNewEvents(db, unknown, inTurn);
      const forgotten = fresh.length === unknown.length ? 0 : unknown.length - (await notPurged(db, unknown)).length;
      if (forgotten > 0) sum = together(sum, { ...nothing, leftOut: [{ ...left, count: forgotten }] });
      for (const event of fresh) sessions.add(`${event.host} ${event.session}`);
      await inTurn(() => noteRecent(fresh));
      const failures = fresh.filter(isFailure).length;
      const known = events.length - fresh.length;
      sum = together(sum, { ...nothing, events: fresh.length, failures, skipped: skipped + known });
    },
    changed: (wanted: number, made: readonly Change<object>[]): void => {
      const of = (noun: string) => made.filter((change) => change.noun === noun).length;
      const skipped = wanted - made.length;
      sum = together(sum, { ...nothing, rules: of("rule"), memories: of("memory"), skipped });
    },
    leave: (one: LeftOut): void => {
      sum = together(sum, { ...nothing, skipped: one.count, leftOut: [one] });
    },
    sum: (): Imported => ({ ...sum, sessions: sessions.size }),
  };
}
