import type { Db } from "../engine/db.ts";
import { type Cursor, cursors, readCursor, writeCursor } from "../state/cursors.ts";

/** A stored text of an agent or a person that may have markers. */
export interface MarkedText {
  readonly id: number;
  readonly kind: string;
  readonly host: string;
  readonly session: string;
  readonly uid: string;
  readonly at: number;
  readonly workspace: string | null;
  readonly text: string;
}

/** Which texts a reader wants, as a condition on the table `events`. */
const markedTexts = {
  memories: `((kind in ('answer', 'stop') and text like '%[MEMORY]%')
  or (kind = 'prompt' and agent is null and lower(text) like '%remember%'))`,
  acts: `(kind in ('answer', 'stop') and (text like '%[WIN]%' or text like '%[MISTAKE]%' or text like '%[STATE]%'
  or text like '%[JOURNAL]%' or text like '%[TASK$_%' escape '$'))`,
} as const;

const BATCH = 200;
/** Up to this many events without a marker are read again instead of moving the cursor. */
const MAX_REREAD_EVENTS = 1_000;

/** Hands each unread text to `act`, the oldest first, and moves the cursor behind it. */
export async function readMarkedTexts(
  db: Db,
  { cursor, wanted }: { readonly cursor: Cursor; readonly wanted: keyof typeof markedTexts },
  act: (text: MarkedText) => Promise<void>,
): Promise<void> {
  const condition = markedTexts[wanted];
  if (!(await hasUnread(db, cursor, condition))) return;
  const settled = await db.dialect.settledEvents(db);
  for (;;) {
    const from = await readCursor(db, cursor);
    if (from >= settled) return;
    const texts = await db.all<MarkedText>(
      `select id, kind, host, session, uid, at, workspace, text from events
       where id > ? and id <= ? and ${condition} order by id limit ?`,
      [from, settled, BATCH],
    );
    for (const one of texts) await act(one);
    const upTo = texts.length < BATCH ? settled : (texts.at(-1)?.id ?? settled);
    // The cursor is not written: watchers run this after each change, and the write would trigger them again.
    if (texts.length === 0 && upTo - from < MAX_REREAD_EVENTS) return;
    await writeCursor(db, cursor, upTo);
  }
}

/** True if a few new events have a marker that did not act yet. A hook has no time to look through many; a command has. */
export async function hasFewUnreadActs(db: Db): Promise<boolean> {
  const row = await db.get<{ last: number | null }>("select max(id) as last from events");
  const from = await readCursor(db, cursors.acted);
  return (row?.last ?? 0) - from <= FEW && hasUnread(db, cursors.acted, markedTexts.acts);
}

const FEW = 5_000;

/** False if no new event has one, and not too many are new: most often. Then nobody waits for writers of other events. */
async function hasUnread(db: Db, cursor: Cursor, condition: string): Promise<boolean> {
  const found = await db.get<{ first: number | null; last: number | null; marked: number | null }>(
    `select min(id) as first, max(id) as last, max(case when ${condition} then 1 else 0 end) as marked
     from events where id > coalesce((select cast(value as bigint) from meta where key = ?), 0)`,
    [cursor],
  );
  return found?.marked === 1 || (found?.last ?? 0) - (found?.first ?? 0) >= MAX_REREAD_EVENTS;
}
