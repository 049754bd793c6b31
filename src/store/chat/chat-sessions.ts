import type { Db } from "../engine/db.ts";

/** The row of a session of oldhand's own agent. */
export interface StoredChatSession {
  readonly id: string;
  readonly at: number;
  readonly usedAt: number;
  readonly title: string;
  readonly cwd: string;
  readonly workspace: string;
  readonly mode: string;
  /** Null: the gateway chooses. */
  readonly model: string | null;
  /** The session that started it as a sub-agent. */
  readonly parent: string | null;
  /** How many entries it has: the number of the last one. */
  readonly entries: number;
}

const COLUMNS = "id, at, used_at, title, cwd, workspace, mode, model, parent, entries";

/** Nothing happens if it is there already. */
export async function insertChatSession(db: Db, one: StoredChatSession): Promise<void> {
  const { id, at, usedAt, title, cwd, workspace, mode, model, parent, entries } = one;
  await db.run(
    `insert into chat_sessions (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    [id, at, usedAt, title, cwd, workspace, mode, model, parent, entries],
  );
}

export async function findChatSession(db: Db, id: string): Promise<StoredChatSession | null> {
  const row = await db.get<ChatSessionRow>(`select ${COLUMNS} from chat_sessions where id = ?`, [id]);
  return row === undefined ? null : toChatSession(row);
}

/** The one that was used last in a workspace; sub-agents' sessions do not count. */
export async function findLastChatSession(db: Db, workspace: string): Promise<StoredChatSession | null> {
  const row = await db.get<ChatSessionRow>(
    `select ${COLUMNS} from chat_sessions where workspace = ? and parent is null order by used_at desc, id desc limit 1`,
    [workspace],
  );
  return row === undefined ? null : toChatSession(row);
}

export async function listSubSessionIds(db: Db, parent: string): Promise<readonly string[]> {
  const rows = await db.all<{ id: string }>("select id from chat_sessions where parent = ? order by id", [parent]);
  return rows.map(({ id }) => id);
}

/** Everything of the sub-agents of a session that is purged. */
export async function removeSubSessions(db: Db, parent: string): Promise<void> {
  const children = "select id from chat_sessions where parent = ?";
  for (const table of ["chat_entries", "chat_inbox", "approvals", "checkpoints"])
    await db.run(`delete from ${table} where session in (${children})`, [parent]);
  await db.run("delete from chat_sessions where parent = ?", [parent]);
}

/** Those that began then or later. */
export async function listChatSessionIds(db: Db, { since }: { readonly since: number }): Promise<ReadonlySet<string>> {
  const rows = await db.all<{ id: string }>("select id from chat_sessions where at >= ?", [since]);
  return new Set(rows.map(({ id }) => id));
}

interface ChatSessionRow extends Omit<StoredChatSession, "usedAt"> {
  readonly used_at: number;
}

function toChatSession({ used_at: usedAt, ...row }: ChatSessionRow): StoredChatSession {
  return { ...row, usedAt };
}
