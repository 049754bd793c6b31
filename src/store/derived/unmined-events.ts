import { cursors, readCursor } from "../state/cursors.ts";
import type { Db } from "../engine/db.ts";

/**
 * True if there may be something to mine: after the miners' cursor, a failed or undigested call, or a prompt,
 * which may be a correction. One query, so that a hook can check it before it loads a miner.
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
