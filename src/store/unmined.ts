import { cursors, readCursor } from "./cursors.ts";
import type { Db } from "./engine/db.ts";

/**
 * Whether there may be something to learn from: a call behind the miners' cursor that failed, or that nobody has read yet.
 * One read of the newest events, so that a hook may ask before it loads any miner.
 */
export async function hasUnmined(db: Db): Promise<boolean> {
  const row = await db.get(
    `select 1 as one from events
     where id > ? and kind = 'call' and (outcome is null or (outcome = 'failed' and benign = 0)) limit 1`,
    [await readCursor(db, cursors.mined)],
  );
  return row !== undefined;
}
