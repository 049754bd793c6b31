import type { Db, SqlValue } from "../engine/db.ts";

export const aggregateKeys = ["host", "tool", "workspace", "day"] as const;
export type AggregateKey = (typeof aggregateKeys)[number];

export interface CallAggregate {
  readonly name: string;
  readonly calls: number;
  readonly failures: number;
  readonly sessions: number;
  readonly ms: number;
  /** Calls from a failure until its recovery, including the failed one. */
  readonly lost: number;
  readonly last: number;
}

/** Counts calls by one key, the largest first. Benign failures count as success. */
export function aggregateCalls(
  db: Db,
  by: AggregateKey,
  filter: {
    readonly workspace?: string | undefined;
    readonly since?: number | undefined;
    readonly limit: number;
  },
): Promise<CallAggregate[]> {
  const { workspace, since } = filter;
  // The first day counts only in part: its calls are read from the events of that day's sessions.
  const first = since === undefined ? null : Math.floor(since / DAY);
  const inWorkspace = workspace === undefined ? "" : "and workspace = ?";
  const whole = `select host, tool, workspace, day, session, calls, failures, ms, lost, last_at from session_calls
    where true ${first === null ? "" : "and day > ?"} ${inWorkspace}`;
  const part = `select e.host, coalesce(e.tool, '') as tool, coalesce(e.workspace, '') as workspace, e.at / ${DAY} as day, e.session,
      1 as calls, case when ${failed} then 1 else 0 end as failures, coalesce(e.duration_ms, 0) as ms,
      case when ${failed} then 1 + coalesce(r.calls, 0) else 0 end as lost, e.at as last_at
    from (select distinct session, host from session_calls where day = ? ${inWorkspace}) s
      join events e on e.session = s.session and e.host = s.host left join recoveries r on r.failure = e.id
    where e.kind = 'call' and e.at >= ? and e.at < ? ${workspace === undefined ? "" : "and e.workspace = ?"}`;
  const scope = workspace === undefined ? [] : [workspace];
  const values: SqlValue[] =
    since === undefined || first === null
      ? scope
      : [first, ...scope, first, ...scope, since, (first + 1) * DAY, ...scope];
  return db
    .all<Omit<CallAggregate, "name"> & { name: string | number }>(
      `select ${by} as name, cast(sum(calls) as bigint) as calls, cast(sum(failures) as bigint) as failures,
         count(distinct session) as sessions, cast(sum(ms) as bigint) as ms, cast(sum(lost) as bigint) as lost, max(last_at) as last
       from (${first === null ? whole : `${whole} union all ${part}`}) counted
       group by ${by} order by ${by === "day" ? "1 desc" : "2 desc, 1"} limit ?`,
      [...values, filter.limit],
    )
    .then((rows) => rows.map((row) => ({ ...row, name: formatAggregateName(by, row.name) })));
}

const failed = "e.outcome = 'failed' and e.benign = 0";
const DAY = 86_400_000;

function formatAggregateName(by: AggregateKey, value: string | number): string {
  if (value === "") return "unknown";
  return by === "day" ? new Date(Number(value) * DAY).toISOString().slice(0, 10) : String(value);
}

/** The same per host from session rows, which are cheap to read; for recall, which has no time to count. */
export function aggregateSessions(
  db: Db,
  workspace: string,
): Promise<{ host: string; sessions: number; events: number; failures: number; last: number }[]> {
  return db.all(
    `select host, count(*) as sessions, cast(sum(events) as bigint) as events, cast(sum(failures) as bigint) as failures, max(last_at) as last
     from sessions where workspace = ? group by host order by count(*) desc, host`,
    [workspace],
  );
}
