import type { Db } from "./engine/db.ts";
import { takeMark } from "./meta.ts";
import { tables } from "./tables.ts";

/** Events with all that tells of them by their number: derived rows, words, vectors. */
export async function removeEvents(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // One at a time with the digest, which derives from the same events.
  await takeMark(tx, "digested");
  const words = await tx.dialect.words();
  const vectors = await tx.dialect.vectors();
  for (let from = 0; from < ids.length; from += CHUNK) {
    const some = ids.slice(from, from + CHUNK);
    const list = some.map(() => "?").join(", ");
    await words.remove(tx, some);
    await vectors.remove(tx, "event", some.map(String));
    for (const { name, events = [] } of tables)
      for (const column of events) await tx.run(`delete from ${name} where ${column} in (${list})`, some);
  }
}

/** What is left of events whose time was over. */
export async function dropOrphans(db: Db): Promise<number> {
  let dropped = 0;
  for (const { name, events = [] } of tables)
    if (name !== "events")
      for (const column of events)
        dropped += await db.run(`delete from ${name} where ${column} < (select min(id) from events)`);
  return dropped;
}

const CHUNK = 500;
