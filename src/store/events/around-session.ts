import type { Event } from "../../domain/event/event.ts";
import type { Db } from "../engine/db.ts";
import { getEventsByIds } from "./events.ts";

export interface SessionKey {
  readonly host: string;
  readonly id: string;
}

/** How much a session did, and whether any of it was logged for later ones. */
export interface SessionWork {
  readonly interactions: number;
  readonly logged: boolean;
}

export async function readSessionWork(db: Db, session: SessionKey): Promise<SessionWork> {
  const row = await db.get<{ interactions: number; logged: number }>(
    `select cast(coalesce(sum(case when kind in ('prompt', 'call') then 1 else 0 end), 0) as bigint) as interactions,
       cast(coalesce(sum(case
         when kind = 'stop' and text is not null then 1
         when kind = 'call' and tool like '%oldhand%' and (tool like '%mistake' or tool like '%win' or tool like '%remember') then 1
         when kind = 'call' and (input like '%oldhand mistake%' or input like '%oldhand win%' or input like '%oldhand remember%') then 1
         else 0 end), 0) as bigint) as logged
     from events where session = ? and host = ?`,
    [session.id, session.host],
  );
  const entry = await db.get(
    "select 1 as there from mistakes where session = ? union all select 1 from wins where session = ? limit 1",
    [session.id, session.id],
  );
  return { interactions: row?.interactions ?? 0, logged: (row?.logged ?? 0) > 0 || entry !== undefined };
}

/** Events of other sessions since a time, oldest first. Reads only the last events: older ones are not news. */
export async function listOtherSessionsEvents(db: Db, session: SessionKey, since: number): Promise<Event[]> {
  const rows = await db.all<{ id: number }>(
    `select id from events where id > (select coalesce(max(id), 0) - ? from events)
       and at >= ? and not (session = ? and host = ?) order by id desc limit ?`,
    [RECENT_EVENTS, since, session.id, session.host, MAX_EVENTS],
  );
  const ids = rows.map((row) => row.id);
  return (await getEventsByIds(db, ids)).toSorted((a, b) => a.id - b.id);
}

/** The last other session that was active in a workspace, if it is among the latest events. */
export async function findLastSession(
  db: Db,
  workspace: string,
  besides: SessionKey,
): Promise<(SessionKey & { readonly upTo: number }) | null> {
  const row = await db.get<{ id: number; host: string; session: string }>(
    `select id, host, session from events where id > (select coalesce(max(id), 0) - ? from events)
       and workspace = ? and not (session = ? and host = ?) order by id desc limit 1`,
    [RECENT_EVENTS, workspace, besides.id, besides.host],
  );
  return row ? { host: row.host, id: row.session, upTo: row.id } : null;
}

const RECENT_EVENTS = 2_000;
const MAX_EVENTS = 200;
