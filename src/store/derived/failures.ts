import type { Db, SqlValue } from "../engine/db.ts";
import { buildFolderCondition } from "../state/folder-condition.ts";
import { readCountedWithin } from "./event-counts.ts";

/** Failures with one signature, and their cost. */
export interface FailureGroup {
  readonly signature: string;
  readonly count: number;
  readonly sessions: number;
  readonly first: number;
  readonly last: number;
  readonly calls: number;
  readonly ms: number;
  readonly characters: number;
  /** Increases with each change; null if counted just now. */
  readonly changed: number | null;
}

export interface FailureFilter {
  readonly workspace?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Within this many calls after a failure, a success counts as its recovery. */
  readonly within: number;
}

/** All failures, and those in more than one session, most expensive first: by calls, then time, then text. */
export interface FailureRanking {
  readonly failures: number;
  /** How many signatures occurred in more than one session. */
  readonly repeated: number;
  readonly groups: readonly FailureGroup[];
}

/** Uses the kept counts; with a filter, the rows of single failures. */
export async function rankFailures(db: Db, filter: FailureFilter, limit: number): Promise<FailureRanking> {
  const isWhole = filter.workspace === undefined && filter.since === undefined && filter.until === undefined;
  if (!isWhole || (await readCountedWithin(db)) !== filter.within) return rankFilteredFailures(db, filter, limit);
  const totals = await db.get<{ failures: number; repeated: number }>(
    `select cast(coalesce(sum(failures), 0) as bigint) as failures,
       cast(coalesce(sum(case when failures > 1 and sessions > 1 then 1 else 0 end), 0) as bigint) as repeated
     from failure_groups`,
  );
  const groups = await db.all<FailureGroup>(
    `select signature, failures as count, sessions, first_at as first, last_at as last, calls, ms, characters, changed
     from failure_groups where failures > 1 and sessions > 1
     order by calls desc, ms desc, characters desc, signature limit ?`,
    [limit],
  );
  return { failures: totals?.failures ?? 0, repeated: totals?.repeated ?? 0, groups };
}

/** Counted now; the cost depends on how much fits the filter. */
async function rankFilteredFailures(db: Db, filter: FailureFilter, limit: number): Promise<FailureRanking> {
  const { clause, values } = buildConditions(filter);
  const groups = await db.all<FailureGroup>(
    `select signature, count(*) as count, count(distinct session) as sessions, min(at) as first, max(at) as last,
       cast(sum(1 + coalesce(r.calls, 0)) as bigint) as calls,
       cast(sum(f.ms + coalesce(r.ms, 0)) as bigint) as ms,
       cast(sum(f.characters + coalesce(r.characters, 0)) as bigint) as characters, null as changed
     from failures f left join recoveries r on r.failure = f.event and r.apart <= ?
     where true ${clause} group by signature order by 6 desc, 7 desc, 8 desc, signature`,
    [filter.within, ...values],
  );
  const repeated = groups.filter((group) => group.count > 1 && group.sessions > 1);
  return {
    failures: groups.reduce((sum, group) => sum + group.count, 0),
    repeated: repeated.length,
    groups: repeated.slice(0, limit),
  };
}

export interface FailureLocation {
  readonly id: number;
  readonly host: string;
  readonly session: string;
  readonly workspace: string | null;
}

/** Where failures with a signature happened, newest first. */
export function listFailureLocations(
  db: Db,
  signature: string,
  filter: FailureFilter,
  limit: number,
): Promise<FailureLocation[]> {
  const { clause, values } = buildConditions(filter);
  return db.all<FailureLocation>(
    `select event as id, host, session, workspace from failures where signature = ? ${clause} order by event desc limit ?`,
    [signature, ...values, limit],
  );
}

function buildConditions(filter: FailureFilter): { readonly clause: string; readonly values: readonly SqlValue[] } {
  const there = filter.workspace === undefined ? null : buildFolderCondition(filter.workspace);
  const { since, until } = filter;
  return {
    clause: `${there === null ? "" : `and ${there.sql}`} ${since === undefined ? "" : "and at >= ?"} ${until === undefined ? "" : "and at <= ?"}`,
    values: [
      ...(there?.values ?? []),
      ...(since === undefined ? [] : [since]),
      ...(until === undefined ? [] : [until]),
    ],
  };
}

/** Event ids of the latest failures, oldest first. */
export async function listLatestFailureIds(db: Db, limit: number): Promise<readonly number[]> {
  const rows = await db.all<{ event: number }>("select event from failures order by event desc limit ?", [limit]);
  return rows.map((row) => row.event).toReversed();
}
