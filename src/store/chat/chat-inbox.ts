import type { Db } from "../engine/db.ts";

/** `steer`: for the turn that runs. `queue`: for after it. */
export type InboxKind = "steer" | "queue";

/** A message that waits for a session of oldhand's own agent. */
export interface InboxMessage {
  readonly id: string;
  readonly session: string;
  readonly at: number;
  readonly kind: InboxKind;
  readonly text: string;
}

export async function putInInbox(db: Db, { id, session, at, kind, text }: InboxMessage): Promise<void> {
  await db.run("insert into chat_inbox (id, session, at, kind, text) values (?, ?, ?, ?, ?)", [
    id,
    session,
    at,
    kind,
    text,
  ]);
}

/** Those that wait, the oldest first. */
export function listInbox(db: Db, session: string): Promise<readonly InboxMessage[]> {
  return db.all<InboxMessage>(
    "select id, session, at, kind, text from chat_inbox where session = ? and taken is null order by at, id",
    [session],
  );
}

export async function markTaken(db: Db, id: string, now: number): Promise<void> {
  await db.run("update chat_inbox set taken = ? where id = ? and taken is null", [now, id]);
}
