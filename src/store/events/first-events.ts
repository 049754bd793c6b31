import type { Db } from "../engine/db.ts";
import type { SessionKey } from "./around-session.ts";

/** An early event of a session: the start of a prompt's text, or a call without text. */
export interface FirstEvent {
  readonly id: number;
  readonly host: string;
  readonly session: string;
  readonly kind: string;
  readonly seq: number;
  readonly text: string | null;
}

/** The prompts and calls among the first events of each session, in order. */
export async function listFirstEvents(db: Db, sessions: readonly SessionKey[], each: number): Promise<FirstEvent[]> {
  if (sessions.length === 0) return [];
  // The inner query uses only the index; the rows of a long session are not read.
  return db.all<FirstEvent>(
    `select events.id, events.host, events.session, events.kind, coalesce(events.seq, events.id) as seq,
       case when events.kind = 'prompt' then substr(events.text, 1, 400) else null end as text
     from events join (
       select id from (
         select id, row_number() over (partition by session, host order by id) as place
         from events where session in (${sessions.map(() => "?").join(", ")})
       ) as numbered where place <= ${Math.trunc(each)}
     ) as first on first.id = events.id
     where events.kind in ('prompt', 'call')
     order by events.session, events.host, seq, events.id`,
    sessions.map((one) => one.id),
  );
}
