import type { Db, Value } from "./engine/db.ts";

/** Failures with one signature, and what they cost. */
export interface FailureGroup {
  readonly signature: string;
  readonly count: number;
  readonly sessions: number;
  readonly first: number;
  readonly last: number;
  readonly calls: number;
  readonly ms: number;
  readonly characters: number;
}

export interface FailureFilter {
  readonly workspace?: string | undefined;
  readonly since?: number | undefined;
  /** So many calls after a failure a success counts as its recovery. */
  readonly within: number;
}

/** Every signature, the dearest first: by calls, then by time, then by text. */
export function failuresByCost(db: Db, filter: FailureFilter): Promise<FailureGroup[]> {
  const { clause, values } = conditions(filter);
  return db.all<FailureGroup>(
    `select signature, count(*) as count, count(distinct session) as sessions, min(at) as first, max(at) as last,
       cast(sum(1 + coalesce(r.calls, 0)) as bigint) as calls,
       cast(sum(coalesce(duration_ms, 0) + coalesce(r.ms, 0)) as bigint) as ms,
       cast(sum(length(coalesce(error, '')) + length(coalesce(input, '')) + coalesce(r.characters, 0)) as bigint) as characters
     from events e left join recoveries r on r.failure = e.id and r.apart <= ?
     where outcome = 'failed' and benign = 0 and signature is not null ${clause}
     group by signature order by 6 desc, 7 desc, 8 desc, signature`,
    [filter.within, ...values],
  );
}

export interface FailurePlace {
  readonly id: number;
  readonly host: string;
  readonly session: string;
  readonly workspace: string | null;
}

/** Where failures with a signature happened, newest first. */
export function placesOfFailure(
  db: Db,
  signature: string,
  filter: FailureFilter,
  limit: number,
): Promise<FailurePlace[]> {
  const { clause, values } = conditions(filter);
  return db.all<FailurePlace>(
    `select id, host, session, workspace from events
     where outcome = 'failed' and benign = 0 and signature = ? ${clause} order by id desc limit ?`,
    [signature, ...values, limit],
  );
}

function conditions(filter: FailureFilter): { readonly clause: string; readonly values: readonly Value[] } {
  const { workspace, since } = filter;
  return {
    clause: `${workspace === undefined ? "" : "and workspace = ?"} ${since === undefined ? "" : "and at >= ?"}`,
    values: [...(workspace === undefined ? [] : [workspace]), ...(since === undefined ? [] : [since])],
  };
}
