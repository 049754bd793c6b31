import type { Db } from "../engine/db.ts";

/** The chat session of one day of an agent: the day's first interaction begins it, later ones go on with it. */
export interface DaySession {
  readonly agent: string;
  /** Such as 2026-03-09, in the time zone of the settings. */
  readonly day: string;
  readonly session: string;
  /** What the next day must know; null while the day lasts. */
  readonly handoff: string | null;
  readonly beganAt: number;
}

/** The one of this day: the given one, or that of whoever was first. */
export async function beginDaySession(db: Db, given: Omit<DaySession, "handoff">): Promise<DaySession> {
  const { agent, day, session, beganAt } = given;
  await db.run(
    "insert into day_sessions (agent, day, session, handoff, began_at) values (?, ?, ?, null, ?) on conflict (agent, day) do nothing",
    [agent, day, session, beganAt],
  );
  return (await readDaySession(db, agent, day)) ?? { ...given, handoff: null };
}

export async function readDaySession(db: Db, agent: string, day: string): Promise<DaySession | null> {
  const row = await db.get<DayRow>(
    "select agent, day, session, handoff, began_at from day_sessions where agent = ? and day = ?",
    [agent, day],
  );
  return row ? fromRow(row) : null;
}

/** The newest day of an agent before this one. */
export async function readLastDayBefore(db: Db, agent: string, day: string): Promise<DaySession | null> {
  const row = await db.get<DayRow>(
    "select agent, day, session, handoff, began_at from day_sessions where agent = ? and day < ? order by day desc limit 1",
    [agent, day],
  );
  return row ? fromRow(row) : null;
}

export async function writeHandoff(db: Db, { agent, day }: DaySession, handoff: string): Promise<void> {
  await db.run("update day_sessions set handoff = ? where agent = ? and day = ?", [handoff, agent, day]);
}

interface DayRow {
  readonly agent: string;
  readonly day: string;
  readonly session: string;
  readonly handoff: string | null;
  readonly began_at: number;
}

function fromRow({ began_at, ...row }: DayRow): DaySession {
  return { ...row, beganAt: began_at };
}
