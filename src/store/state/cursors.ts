import type { Db } from "../engine/db.ts";
import { readMeta, writeMeta } from "./meta.ts";

/** Up to which event something was derived: a note in `meta` for each. Without its rows it begins anew. */
export const cursors = {
  /** Outcomes, sessions, corrections, recoveries, words. */
  digested: "digested",
  /** The kept counts. It is where the digest is, but after an upgrade or a repair. */
  counted: "counted",
  /** Attempts, for miners and for the counts of rules. */
  tried: "tried",
  /** What came more than once, for miners. */
  repeated: "repeated",
  /** Commands that came more than once, for suggestions. */
  commands: "commands counted",
  /** Everything that miners look at: behind it nothing is left to learn from. */
  mined: "mined",
  /** Memories that agents marked. */
  marked: "marked",
} as const;

/** Those of one pattern, one miner or one model have its name. */
export type Cursor = (typeof cursors)[keyof typeof cursors] | `repeats ${string}` | `embedded ${string}`;

export async function readCursor(db: Db, cursor: Cursor): Promise<number> {
  return Number((await readMeta(db, cursor)) ?? 0);
}

export function writeCursor(db: Db, cursor: Cursor, upTo: number): Promise<void> {
  return writeMeta(db, cursor, String(upTo));
}

/** The same for those who go on from it: updating it first makes them queue, so that each piece is done once. */
export async function lockCursor(tx: Db, cursor: Cursor): Promise<number> {
  await tx.run("insert into meta (key, value) values (?, '0') on conflict (key) do update set value = meta.value", [
    cursor,
  ]);
  return readCursor(tx, cursor);
}
