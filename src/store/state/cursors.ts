import type { Db } from "../engine/db.ts";
import { readMeta, writeMeta } from "./meta.ts";

/** The last event that something was derived from, each in `meta`. If it is deleted, derivation starts again. */
export const cursors = {
  /** Outcomes, sessions, corrections, recoveries, words. */
  digested: "digested",
  /** The kept counts. Equal to the digest's cursor, except after an upgrade or a repair. */
  counted: "counted",
  /** Calls read again after a change of the laws; 0 if no pass is under way. */
  reread: "reread",
  /** Tries, for miners and the counts of rules. */
  tried: "tried",
  /** Repeats, for miners. */
  repeated: "repeated",
  /** Repeated commands, for suggestions. */
  commands: "commands counted",
  /** Everything that miners read: events up to here need no mining. */
  mined: "mined",
  /** Memories that agents marked. */
  marked: "marked",
  /** Markers of agents that write to the ledger, to working memory, to the execution log and to goals. */
  acted: "acted",
} as const;

/** Cursors of a single pattern, miner or model contain its name. */
export type Cursor = (typeof cursors)[keyof typeof cursors] | `repeats ${string}` | `embedded ${string}`;

export async function readCursor(db: Db, cursor: Cursor): Promise<number> {
  return Number((await readMeta(db, cursor)) ?? 0);
}

export function writeCursor(db: Db, cursor: Cursor, upTo: number): Promise<void> {
  return writeMeta(db, cursor, String(upTo));
}

/** Reads the cursor and locks it: writing it first makes concurrent workers queue, so that each piece is done once. */
export async function lockCursor(tx: Db, cursor: Cursor): Promise<number> {
  await tx.run("insert into meta (key, value) values (?, '0') on conflict (key) do update set value = meta.value", [
    cursor,
  ]);
  return readCursor(tx, cursor);
}
