import { newId } from "../../lib/ids.ts";
import type { Db } from "../engine/db.ts";

/** A time in which no work begins. */
export interface Pause {
  readonly id: string;
  readonly since: number;
  /** When it ends by itself; null: when it is ended. */
  readonly until: number | null;
  readonly endedAt: number | null;
  readonly by: string;
}

/** The pause that is on now; null if there is none. */
export async function findPause(db: Db, now: number): Promise<Pause | null> {
  const row = await db.get<PauseRow>(
    `select ${columns} from pauses where ended_at is null and since <= ? and (until is null or until > ?)
     order by since desc limit 1`,
    [now, now],
  );
  return row ? fromRow(row) : null;
}

/** Those that touch the time from `since` on. */
export async function listPauses(db: Db, since: number): Promise<Pause[]> {
  const rows = await db.all<PauseRow>(
    `select ${columns} from pauses where (ended_at is null or ended_at > ?) and (until is null or until > ?) order by since`,
    [since, since],
  );
  return rows.map(fromRow);
}

/** Begins a pause, or changes until when the current one lasts: it goes on since its first moment. */
export function beginPause(
  db: Db,
  pause: { readonly until: number | null; readonly by: string; readonly now: number },
): Promise<Pause> {
  return db.tx(async (tx) => {
    const since = (await findPause(tx, pause.now))?.since ?? pause.now;
    await endPauses(tx, pause.now);
    const made = { id: newId("p", pause.now), since, until: pause.until, endedAt: null, by: pause.by };
    await tx.run("insert into pauses (id, since, until, ended_at, made_by) values (?, ?, ?, null, ?)", [
      made.id,
      made.since,
      made.until,
      made.by,
    ]);
    return made;
  });
}

/** Returns how many were on. */
export function endPauses(db: Db, now: number): Promise<number> {
  return db.run("update pauses set ended_at = ? where ended_at is null and (until is null or until > ?)", [now, now]);
}

export function prunePauses(db: Db, before: number): Promise<number> {
  return db.run("delete from pauses where ended_at < ? or until < ?", [before, before]);
}

const columns = "id, since, until, ended_at, made_by";

interface PauseRow {
  readonly id: string;
  readonly since: number;
  readonly until: number | null;
  readonly ended_at: number | null;
  readonly made_by: string;
}

function fromRow(row: PauseRow): Pause {
  return { id: row.id, since: row.since, until: row.until, endedAt: row.ended_at, by: row.made_by };
}
