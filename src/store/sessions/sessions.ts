import type { Event } from "../../domain/event/event.ts";
import { isFailure } from "../../domain/event/event.ts";
import { HELD_MESSAGE } from "../../domain/text/rule-message-text.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import { type SqlCondition, buildFolderCondition } from "../state/folder-condition.ts";

/** A session's row, derived from its events. */
export interface Session {
  readonly host: string;
  readonly id: string;
  readonly workspace: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly endedAt: number | null;
  readonly events: number;
  readonly failures: number;
}

export interface SessionFilter {
  /** Any of these. */
  readonly hosts?: readonly string[] | undefined;
  readonly workspace?: string | undefined;
  readonly failing?: boolean | undefined;
  readonly before?: number | undefined;
  /** Active at some moment since then. */
  readonly since?: number | undefined;
  /** Active at some moment until then. */
  readonly until?: number | undefined;
  readonly limit: number;
}

const select = "select host, id, workspace, cwd, model, started_at, last_at, ended_at, events, failures from sessions";

export async function listSessions(db: Db, filter: SessionFilter): Promise<Session[]> {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const where = (condition: string, ...more: readonly SqlValue[]) => {
    conditions.push(condition);
    values.push(...more);
  };
  if (filter.hosts !== undefined) where(`host in (${filter.hosts.map(() => "?").join(", ")})`, ...filter.hosts);
  if (filter.workspace !== undefined) {
    const there = buildFolderCondition(filter.workspace);
    where(there.sql, ...there.values);
  }
  if (filter.failing) where("failures > ?", 0);
  if (filter.before !== undefined) where("last_at < ?", filter.before);
  if (filter.since !== undefined) where("last_at >= ?", filter.since);
  if (filter.until !== undefined) where("started_at <= ?", filter.until);
  const clause = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const rows = await db.all<SessionRow>(`${select} ${clause} order by last_at desc, id limit ?`, [
    ...values,
    filter.limit,
  ]);
  return rows.map(fromRow);
}

/** All sessions, or those in one of these folders. */
export async function countSessions(db: Db, folders?: readonly string[]): Promise<number> {
  const { sql, values } = inFolders(folders);
  const row = await db.get<{ count: number }>(`select count(*) as count from sessions where ${sql}`, values);
  return row?.count ?? 0;
}

/** The number of sessions and of their events, optionally in a folder or a period. */
export async function countSessionsAndEvents(
  db: Db,
  { workspace, since, until }: Pick<SessionFilter, "workspace" | "since" | "until"> = {},
): Promise<{ readonly sessions: number; readonly events: number }> {
  const { sql, values } = inFolders(workspace === undefined ? undefined : [workspace]);
  const row = await db.get<{ sessions: number; events: number }>(
    `select count(*) as sessions, cast(coalesce(sum(events), 0) as bigint) as events from sessions
     where ${sql} ${since === undefined ? "" : "and last_at >= ?"} ${until === undefined ? "" : "and started_at <= ?"}`,
    [...values, ...(since === undefined ? [] : [since]), ...(until === undefined ? [] : [until])],
  );
  return row ?? { sessions: 0, events: 0 };
}

/** When each host was last seen, optionally in one of these folders. */
export function listHostsSeen(
  db: Db,
  folders?: readonly string[],
): Promise<{ host: string; last_at: number; events: number; failures: number }[]> {
  const { sql, values } = inFolders(folders);
  return db.all(
    `select host, max(last_at) as last_at, cast(sum(events) as bigint) as events, cast(sum(failures) as bigint) as failures
     from sessions where ${sql} group by host order by max(last_at) desc`,
    values,
  );
}

function inFolders(folders: readonly string[] | undefined): SqlCondition {
  if (folders === undefined) return { sql: "true", values: [] };
  const each = folders.map(buildFolderCondition);
  return {
    sql: each.length === 0 ? "false" : `(${each.map((one) => one.sql).join(" or ")})`,
    values: each.flatMap((one) => one.values),
  };
}

/** By full id, or by its beginning; may return several. */
export async function findSessions(db: Db, id: string): Promise<Session[]> {
  const exact = await db.all<SessionRow>(`${select} where id = ?`, [id]);
  if (exact.length > 0) return exact.map(fromRow);
  const rows = await db.all<SessionRow>(`${select} where id >= ? and id < ? order by id limit 10`, [
    id,
    `${id}\u{10ffff}`,
  ]);
  return rows.map(fromRow);
}

/** The workspaces of a session, the latest first. */
export async function workspacesOfSession(db: Db, host: string, session: string): Promise<readonly string[]> {
  const rows = await db.all<{ workspace: string }>(
    `select workspace from events where session = ? and host = ? and workspace is not null
     group by workspace order by max(id) desc`,
    [session, host],
  );
  return rows.map((row) => row.workspace);
}

/** Sessions with digested events but without a row; only after a row was deleted by hand. */
export function listSessionsWithoutRow(db: Db, digested: number): Promise<{ host: string; id: string }[]> {
  return db.all(
    `select distinct events.host, events.session as id from events
     left join sessions on sessions.id = events.session and sessions.host = events.host
     where sessions.id is null and events.id <= ? and events.kind <> 'correction'`,
    [digested],
  );
}

/** Adds events, in order, to their sessions' rows. */
export async function foldIntoSessions(db: Db, events: readonly Event[]): Promise<void> {
  const folded = new Map<string, Session>();
  for (const event of events) {
    const key = `${event.host} ${event.session}`;
    folded.set(key, foldEvent(folded.get(key), event));
  }
  for (const session of folded.values()) {
    await db.run(upsert, [
      session.host,
      session.id,
      session.workspace,
      session.cwd,
      session.model,
      session.startedAt,
      session.lastAt,
      session.endedAt,
      session.events,
      session.failures,
    ]);
  }
}

const upsert = `
  insert into sessions (host, id, workspace, cwd, model, started_at, last_at, ended_at, events, failures)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (id, host) do update set
    workspace = coalesce(sessions.workspace, excluded.workspace),
    cwd = coalesce(sessions.cwd, excluded.cwd),
    model = coalesce(excluded.model, sessions.model),
    started_at = case when excluded.started_at < sessions.started_at then excluded.started_at else sessions.started_at end,
    last_at = case when excluded.last_at > sessions.last_at then excluded.last_at else sessions.last_at end,
    ended_at = coalesce(excluded.ended_at, sessions.ended_at),
    events = sessions.events + excluded.events,
    failures = sessions.failures + excluded.failures`;

function foldEvent(session: Session | undefined, event: Event): Session {
  return {
    host: event.host,
    id: event.session,
    workspace: session?.workspace ?? event.workspace,
    cwd: session?.cwd ?? event.cwd,
    model: event.model ?? session?.model ?? null,
    startedAt: Math.min(session?.startedAt ?? event.at, event.at),
    lastAt: Math.max(session?.lastAt ?? event.at, event.at),
    endedAt: event.kind === "session-end" ? event.at : (session?.endedAt ?? null),
    events: (session?.events ?? 0) + 1,
    failures: (session?.failures ?? 0) + (isFailure(event) ? 1 : 0),
  };
}

interface SessionRow {
  host: string;
  id: string;
  workspace: string | null;
  cwd: string | null;
  model: string | null;
  started_at: number;
  last_at: number;
  ended_at: number | null;
  events: number;
  failures: number;
}

function fromRow(row: SessionRow): Session {
  return {
    host: row.host,
    id: row.id,
    workspace: row.workspace,
    cwd: row.cwd,
    model: row.model,
    startedAt: row.started_at,
    lastAt: row.last_at,
    endedAt: row.ended_at,
    events: row.events,
    failures: row.failures,
  };
}

/** When and where each session began, and how many events it has. */
export interface SessionSpan extends Pick<Session, "host" | "id" | "workspace" | "startedAt" | "events"> {}

export async function listSessionSpans(db: Db): Promise<SessionSpan[]> {
  const rows = await db.all<Pick<SessionRow, "host" | "id" | "workspace" | "started_at" | "events">>(
    "select host, id, workspace, started_at, events from sessions order by started_at, id, host",
  );
  return rows.map(({ started_at, ...row }) => ({ ...row, startedAt: started_at }));
}

/**
 * How many calls each of these sessions made for the first time, by host and id: without those that retry or correct a failed one,
 * those that oldhand held, and those that ask for help or a version.
 */
export async function countCallsOfSessions(
  db: Db,
  sessions: readonly Pick<Session, "host" | "id">[],
): Promise<ReadonlyMap<string, number>> {
  const ids = [...new Set(sessions.map(({ id }) => id))];
  const found = new Map<string, number>();
  for (let from = 0; from < ids.length; from += CHUNK) {
    const some = ids.slice(from, from + CHUNK);
    const rows = await db.all<{ host: string; session: string; calls: number }>(
      `select host, session, count(*) as calls from events
       where kind = 'call' and session in (${some.map(() => "?").join(", ")})
         and (head is null or (input not like '% --help%' and input not like '% --version%'))
         and (error is null or error not like ?)
       group by host, session`,
      [...some, `%${HELD_MESSAGE}%`],
    );
    const again = await db.all<{ host: string; session: string; calls: number }>(
      `select e.host, e.session, count(*) as calls from events e join recoveries r on r.failure = e.id
       where e.kind = 'call' and e.session in (${some.map(() => "?").join(", ")}) group by e.host, e.session`,
      some,
    );
    const repeated = new Map(again.map(({ host, session, calls }) => [`${host} ${session}`, Number(calls)]));
    for (const { host, session, calls } of rows) {
      const key = `${host} ${session}`;
      found.set(key, Math.max(1, Number(calls) - (repeated.get(key) ?? 0)));
    }
  }
  return found;
}

const CHUNK = 500;

/** All workspaces of sessions. */
export async function listWorkspacesSeen(db: Db): Promise<readonly string[]> {
  const rows = await db.all<{ workspace: string }>(
    "select distinct workspace from sessions where workspace is not null order by workspace",
  );
  return rows.map((row) => row.workspace);
}
