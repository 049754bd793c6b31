import type { Db, SqlValue } from "../engine/db.ts";
import type { SessionKey } from "./around-session.ts";
import { type SqlCondition, buildFolderCondition } from "../state/folder-condition.ts";

/** What to purge: everything that all of these hold of. At least one is given. */
export interface PurgeScope {
  readonly session?: SessionKey | undefined;
  /** With the folders below it. */
  readonly workspace?: string | undefined;
  readonly before?: number | undefined;
}

/** Of events; of session rows with their own names for the same. */
export function buildPurgeCondition(scope: PurgeScope, names = { session: "session", at: "at" }): SqlCondition {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  if (scope.session !== undefined) {
    parts.push(`${names.session} = ? and host = ?`);
    values.push(scope.session.id, scope.session.host);
  }
  if (scope.workspace !== undefined) {
    const within = buildFolderCondition(scope.workspace);
    parts.push(within.sql);
    values.push(...within.values);
  }
  if (scope.before !== undefined) {
    parts.push(`${names.at} < ?`);
    values.push(scope.before);
  }
  if (parts.length === 0) throw new Error("a purge of everything is no purge");
  return { sql: parts.join(" and "), values };
}

export interface TouchedSession extends SessionKey {
  /** Nothing of it stays. */
  readonly gone: boolean;
  /** When the last event that goes happened. */
  readonly last: number;
}

/** The sessions that lose events, and those of which only a row is left. */
export async function listTouchedSessions(db: Db, scope: PurgeScope): Promise<readonly TouchedSession[]> {
  const { sql, values } = buildPurgeCondition(scope);
  const losing = await db.all<{ host: string; id: string; count: number; last: number }>(
    `select host, session as id, count(*) as count, max(at) as last from events where ${sql} group by host, session`,
    values,
  );
  const touched: TouchedSession[] = [];
  for (const one of losing) {
    const all = await db.get<{ count: number }>("select count(*) as count from events where session = ? and host = ?", [
      one.id,
      one.host,
    ]);
    touched.push({ host: one.host, id: one.id, last: one.last, gone: (all?.count ?? 0) === one.count });
  }
  const rows = buildPurgeCondition(scope, { session: "id", at: "last_at" });
  const empty = await db.all<{ host: string; id: string; last: number }>(
    `select host, id, last_at as last from sessions where ${rows.sql}
     and not exists (select 1 from events where events.session = sessions.id and events.host = sessions.host)`,
    rows.values,
  );
  return [...touched, ...empty.map((one) => ({ ...one, gone: true }))];
}

export async function listPurgedIds(db: Db, scope: PurgeScope): Promise<readonly number[]> {
  const { sql, values } = buildPurgeCondition(scope);
  return (await db.all<{ id: number }>(`select id from events where ${sql} order by id`, values)).map((row) => row.id);
}

const CHUNK = 200;

/** A condition on the columns that name a session, a bounded number of sessions at a time. */
export function* buildSessionConditions(
  sessions: readonly SessionKey[],
  columns: { readonly id: string; readonly host: string | null },
): Iterable<SqlCondition> {
  for (let from = 0; from < sessions.length; from += CHUNK) {
    const some = sessions.slice(from, from + CHUNK);
    const one = columns.host === null ? `${columns.id} = ?` : `(${columns.id} = ? and ${columns.host} = ?)`;
    const values = some.flatMap(({ id, host }) => (columns.host === null ? [id] : [id, host]));
    yield { sql: `(${some.map(() => one).join(" or ")})`, values };
  }
}
