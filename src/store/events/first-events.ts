import type { Db } from "../engine/db.ts";
import type { SessionName } from "./purge-scope.ts";

/** What a session began with: of a prompt the beginning, of a call only what it was. */
export interface FirstEvent {
  readonly id: number;
  readonly host: string;
  readonly session: string;
  readonly kind: string;
  readonly seq: number;
  readonly text: string | null;
}

/** The first so many events of each session, prompts and calls alone, in their order. */
export async function listFirstEvents(db: Db, sessions: readonly SessionName[], each: number): Promise<FirstEvent[]> {
  if (sessions.length === 0) return [];
  // The inner question is answered by the index of names alone; the rows of a long session are not read.
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
