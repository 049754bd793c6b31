import { OldhandError } from "../../lib/errors.ts";
import type { Db } from "../engine/db.ts";
import { insertChatSession, type StoredChatSession } from "./chat-sessions.ts";

/** An entry as it is stored: the fields of its kind as JSON, without secrets. */
export interface StoredChatEntry {
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly data: string;
}

/**
 * Appends one entry, and the session's row with its first one. Throws a `conflict` if the number is taken: another process
 * writes to the session.
 */
export async function appendChatEntry(db: Db, session: StoredChatSession, entry: StoredChatEntry): Promise<void> {
  const { seq, at, kind, data } = entry;
  await db.tx(async (tx) => {
    if (seq === 1) await insertChatSession(tx, session);
    const written = await tx.run(
      "insert into chat_entries (session, seq, at, kind, data) values (?, ?, ?, ?, ?) on conflict (session, seq) do nothing",
      [session.id, seq, at, kind, data],
    );
    if (written === 0)
      throw new OldhandError("conflict", `the session ${session.id} was continued in another process`, {
        hint: `What is there is kept; this step is not stored. To see both: leave, then oldhand chat --resume ${session.id}`,
      });
    await tx.run("update chat_sessions set used_at = ?, entries = ?, title = ?, mode = ?, model = ? where id = ?", [
      at,
      seq,
      session.title,
      session.mode,
      session.model,
      session.id,
    ]);
  });
}

/** A page of a long session, in order: those after a number, or the last ones before one. */
export async function listChatEntryPage(
  db: Db,
  session: string,
  range: { readonly after: number; readonly limit: number } | { readonly before: number; readonly limit: number },
): Promise<readonly StoredChatEntry[]> {
  const [bound, order, seq] =
    "after" in range ? (["seq > ?", "seq", range.after] as const) : (["seq < ?", "seq desc", range.before] as const);
  const rows = await db.all<StoredChatEntry>(
    `select session, seq, at, kind, data from chat_entries where session = ? and ${bound} order by ${order} limit ?`,
    [session, seq, range.limit],
  );
  return rows.toSorted((a, b) => a.seq - b.seq);
}

/** The newest one of a kind. */
export async function findLastChatEntry(db: Db, session: string, kind: string): Promise<StoredChatEntry | null> {
  const row = await db.get<StoredChatEntry>(
    "select session, seq, at, kind, data from chat_entries where session = ? and kind = ? order by seq desc limit 1",
    [session, kind],
  );
  return row ?? null;
}

/** The newest one of a kind, of each of these sessions that has one. */
export async function listLastChatEntries(
  db: Db,
  sessions: readonly string[],
  kind: string,
): Promise<readonly StoredChatEntry[]> {
  if (sessions.length === 0) return [];
  const places = sessions.map(() => "?").join(", ");
  return db.all<StoredChatEntry>(
    `select session, seq, at, kind, data from chat_entries one where session in (${places}) and kind = ?
       and seq = (select max(seq) from chat_entries other where other.session = one.session and other.kind = one.kind)`,
    [...sessions, kind],
  );
}

/** In order. */
export function listChatEntries(db: Db, session: string): Promise<readonly StoredChatEntry[]> {
  return db.all<StoredChatEntry>(
    "select session, seq, at, kind, data from chat_entries where session = ? order by seq",
    [session],
  );
}

/** What people wrote in the last sessions of a workspace, as stored; the newest first. */
export async function listTypedMessages(
  db: Db,
  workspace: string,
  limit: number,
): Promise<readonly Pick<StoredChatEntry, "session" | "data">[]> {
  const sessions = await db.all<{ readonly id: string }>(
    "select id from chat_sessions where workspace = ? and parent is null order by used_at desc, id desc limit 20",
    [workspace],
  );
  const found: Pick<StoredChatEntry, "session" | "data">[] = [];
  for (const { id } of sessions) {
    if (found.length >= limit) break;
    const rows = await db.all<{ readonly data: string }>(
      "select data from chat_entries where session = ? and kind = 'user' order by seq desc limit ?",
      [id, limit - found.length],
    );
    found.push(...rows.map(({ data }) => ({ session: id, data })));
  }
  return found;
}
