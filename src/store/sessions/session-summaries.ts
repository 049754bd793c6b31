import type { Summary } from "../../domain/event/summary.ts";
import { DAY, iso } from "../../lib/clock.ts";
import type { SessionKey } from "../events/around-session.ts";
import type { Db } from "../engine/db.ts";

/** A short account of a session. Derived from its events, so it is recomputed when more come. */
export interface SessionSummary extends Summary {
  readonly host: string;
  readonly session: string;
  readonly workspace: string | null;
  readonly startedAt: number;
  readonly lastAt: number;
  /** The last event it covers. */
  readonly upTo: number;
}

const columns = "host, session, workspace, started_at, last_at, up_to, text, topics, decisions, threads";

export async function putSummary(db: Db, summary: SessionSummary): Promise<void> {
  await db.run(
    `insert into session_summaries (${columns}, day) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (session, host) do update set
       workspace = excluded.workspace, started_at = excluded.started_at, last_at = excluded.last_at,
       up_to = excluded.up_to, text = excluded.text, topics = excluded.topics, decisions = excluded.decisions,
       threads = excluded.threads, day = excluded.day`,
    [
      summary.host,
      summary.session,
      summary.workspace,
      summary.startedAt,
      summary.lastAt,
      summary.upTo,
      summary.text,
      JSON.stringify(summary.topics),
      JSON.stringify(summary.decisions),
      JSON.stringify(summary.threads),
      iso(summary.lastAt).slice(0, 10),
    ],
  );
}

export async function getSummary(db: Db, session: SessionKey): Promise<SessionSummary | null> {
  const row = await db.get<SummaryRow>(`select ${columns} from session_summaries where session = ? and host = ?`, [
    session.id,
    session.host,
  ]);
  return row ? fromRow(row) : null;
}

/** The summary of the workspace's latest session, except `besides`. */
export async function getLatestSummary(
  db: Db,
  workspace: string,
  besides: { readonly host: string; readonly session: string },
): Promise<SessionSummary | null> {
  const row = await db.get<SummaryRow>(
    `select ${columns} from session_summaries where workspace = ? and not (session = ? and host = ?)
     order by last_at desc, session limit 1`,
    [workspace, besides.session, besides.host],
  );
  return row ? fromRow(row) : null;
}

/** The summaries of one day, in order. */
export async function listSummariesOfDay(db: Db, day: string, workspace?: string): Promise<SessionSummary[]> {
  const rows = await db.all<SummaryRow>(
    `select ${columns} from session_summaries where day = ? ${workspace === undefined ? "" : "and workspace = ?"} order by last_at, session`,
    workspace === undefined ? [day] : [day, workspace],
  );
  return rows.map(fromRow);
}

/** Sessions last active on a day (UTC) without an up-to-date summary, newest first. */
export async function listUnsummarisedOfDay(db: Db, day: string, limit: number): Promise<SessionKey[]> {
  const begin = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(begin)) return [];
  return db.all<SessionKey>(
    `select sessions.host, sessions.id from sessions
     left join session_summaries s on s.session = sessions.id and s.host = sessions.host
     where sessions.last_at >= ? and sessions.last_at < ? and (s.last_at is null or s.last_at < sessions.last_at)
     order by sessions.last_at desc limit ?`,
    [begin, begin + DAY, limit],
  );
}

/** Quiet sessions without an up-to-date summary, newest first. */
export function listUnsummarisedSessions(db: Db, quietSince: number, limit: number): Promise<SessionKey[]> {
  return db.all<SessionKey>(
    `select sessions.host, sessions.id from sessions
     left join session_summaries s on s.session = sessions.id and s.host = sessions.host
     where (sessions.ended_at is not null or sessions.last_at < ?) and (s.last_at is null or s.last_at < sessions.last_at)
     order by sessions.last_at desc limit ?`,
    [quietSince, limit],
  );
}

interface SummaryRow {
  host: string;
  session: string;
  workspace: string | null;
  started_at: number;
  last_at: number;
  up_to: number;
  text: string;
  topics: string;
  decisions: string;
  threads: string;
}

function fromRow(row: SummaryRow): SessionSummary {
  return {
    host: row.host,
    session: row.session,
    workspace: row.workspace,
    startedAt: row.started_at,
    lastAt: row.last_at,
    upTo: row.up_to,
    text: row.text,
    topics: JSON.parse(row.topics) as string[],
    decisions: JSON.parse(row.decisions) as string[],
    threads: JSON.parse(row.threads) as string[],
  };
}
