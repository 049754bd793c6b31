import type { Event } from "../domain/event.ts";
import { type SessionSummary, summaryOfSession } from "../domain/session-summary.ts";
import { DAY, iso, parseTime } from "../lib/clock.ts";
import type { Db } from "./db.ts";
import { eventsByIds } from "./events.ts";

export interface DaySummary extends SessionSummary {
  readonly host: string;
  readonly session: string;
  readonly workspace: string | null;
  readonly day: string;
}

/** Kept when a day of a session is packed, and for good: the episode goes after its time, what came of it stays. */
export async function keepSummary(
  db: Db,
  of: { readonly host: string; readonly session: string; readonly day: string },
  events: readonly Event[],
): Promise<void> {
  const workspace = events.find((event) => event.workspace !== null)?.workspace ?? null;
  await db.run(
    `insert into summaries (session, host, day, workspace, summary) values (?, ?, ?, ?, ?)
     on conflict (session, host, day) do update set workspace = excluded.workspace, summary = excluded.summary`,
    [of.session, of.host, of.day, workspace, JSON.stringify(summaryOfSession(events))],
  );
}

/** A day's sessions as they ran, from what is still there, or else from what was kept. */
export async function summariesOfDay(db: Db, day: string, workspace: string | null): Promise<DaySummary[]> {
  const from = parseTime(`${day}T00:00:00Z`) ?? 0;
  const kept = await db.all<SummaryRow>(
    "select session, host, day, workspace, summary from summaries where day = ? order by session, host",
    [day],
  );
  const running = await db.all<{ host: string; id: string }>(
    "select host, id from sessions where started_at < ? and last_at >= ? order by id, host",
    [from + DAY, from],
  );
  const found = new Map(kept.map((row) => [keyOf(row.host, row.session), fromRow(row)]));
  for (const session of running) {
    const events = await eventsBetween(db, session, from);
    const before = found.get(keyOf(session.host, session.id));
    const fresh = events.length > 0 ? live(session, day, events) : null;
    // A packed day may be half pruned by now: what was kept of it tells more.
    if (fresh !== null && fresh.calls >= (before?.calls ?? 0)) found.set(keyOf(session.host, session.id), fresh);
  }
  return [...found.values()]
    .filter((one) => workspace === null || one.workspace === workspace)
    .toSorted((a, b) => a.from - b.from || (a.session < b.session ? -1 : 1));
}

/** One session, day by day. */
export async function summariesOfSession(
  db: Db,
  session: { readonly host: string; readonly id: string; readonly startedAt: number; readonly lastAt: number },
): Promise<DaySummary[]> {
  const days: DaySummary[] = [];
  const rows = await db.all<SummaryRow>(
    "select session, host, day, workspace, summary from summaries where session = ? and host = ? order by day",
    [session.id, session.host],
  );
  const kept = new Map(rows.map((row) => [row.day, fromRow(row)]));
  const stored = await db.all<{ day: number }>(
    `select distinct at / ${DAY} as day from events where session = ? and host = ? order by 1`,
    [session.id, session.host],
  );
  for (const { day } of stored) {
    const name = iso(day * DAY).slice(0, 10);
    kept.set(name, live(session, name, await eventsBetween(db, session, day * DAY)));
  }
  days.push(...kept.values());
  return days.toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

function live(
  session: { readonly host: string; readonly id: string },
  day: string,
  events: readonly Event[],
): DaySummary {
  const workspace = events.find((event) => event.workspace !== null)?.workspace ?? null;
  return { host: session.host, session: session.id, workspace, day, ...summaryOfSession(events) };
}

async function eventsBetween(db: Db, session: { host: string; id: string }, from: number): Promise<Event[]> {
  const rows = await db.all<{ id: number }>(
    "select id from events where session = ? and host = ? and at >= ? and at < ? and kind <> 'correction'",
    [session.id, session.host, from, from + DAY],
  );
  const events: Event[] = [];
  for (let at = 0; at < rows.length; at += CHUNK)
    events.push(
      ...(await eventsByIds(
        db,
        rows.slice(at, at + CHUNK).map((row) => row.id),
      )),
    );
  return events.toSorted((a, b) => a.seq - b.seq || a.id - b.id);
}

const CHUNK = 500;

interface SummaryRow {
  session: string;
  host: string;
  day: string;
  workspace: string | null;
  summary: string;
}

function fromRow(row: SummaryRow): DaySummary {
  const { summary, ...rest } = row;
  return { ...rest, ...(JSON.parse(summary) as SessionSummary) };
}

function keyOf(host: string, session: string): string {
  return JSON.stringify([host, session]);
}
