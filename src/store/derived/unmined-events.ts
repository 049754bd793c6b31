import { cursors, readCursor } from "../state/cursors.ts";
import type { Db } from "../engine/db.ts";

/**
 * Whether there may be something to learn from: behind the miners' cursor, a call that failed or that nobody has read
 * yet, or something that the user said, which may be a correction. One read of the newest events, so that a hook may ask
 * before it loads any miner.
 */
export async function hasUnminedEvents(db: Db): Promise<boolean> {
  const row = await db.get(
    `select 1 as one from events
     where id > ? and (kind in ('prompt', 'correction')
       or (kind = 'call' and (outcome is null or (outcome = 'failed' and benign = 0)))) limit 1`,
    [await readCursor(db, cursors.mined)],
  );
  return row !== undefined;
}
