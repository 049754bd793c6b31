import type { Db, Value } from "./engine/db.ts";

export const aggregateKeys = ["host", "tool", "workspace", "day"] as const;
export type AggregateKey = (typeof aggregateKeys)[number];

export interface Aggregate {
  readonly name: string;
  readonly calls: number;
  readonly failures: number;
  readonly sessions: number;
  readonly ms: number;
  /** Calls spent between a failure and its recovery, the failed ones counted in. */
  readonly lost: number;
  readonly last: number;
}

/** Calls counted by one of their sides, most first. Benign failures count as success. */
export function aggregateCalls(
  db: Db,
  by: AggregateKey,
  filter: {
    readonly workspace?: string | undefined;
    readonly since?: number | undefined;
    readonly limit: number;
  },
): Promise<Aggregate[]> {
  const key = by === "day" ? `e.at / ${DAY}` : `e.${by}`;
  const values: Value[] = [];
  if (filter.workspace !== undefined) values.push(filter.workspace);
  if (filter.since !== undefined) values.push(filter.since);
  return db
    .all<Omit<Aggregate, "name"> & { name: string | number | null }>(
      `select ${key} as name, count(*) as calls,
         cast(sum(case when e.outcome = 'failed' and e.benign = 0 then 1 else 0 end) as bigint) as failures,
         count(distinct e.session) as sessions,
         cast(sum(coalesce(e.duration_ms, 0)) as bigint) as ms,
         cast(sum(case when e.outcome = 'failed' and e.benign = 0 then 1 + coalesce(r.calls, 0) else 0 end) as bigint) as lost,
         max(e.at) as last
       from events e left join recoveries r on r.failure = e.id
       where e.kind = 'call' ${filter.workspace === undefined ? "" : "and e.workspace = ?"} ${filter.since === undefined ? "" : "and e.at >= ?"}
       group by ${key} order by ${by === "day" ? "1 desc" : "calls desc, 1"} limit ?`,
      [...values, filter.limit],
    )
    .then((rows) => rows.map((row) => ({ ...row, name: nameOf(by, row.name) })));
}

const DAY = 86_400_000;

function nameOf(by: AggregateKey, value: string | number | null): string {
  if (value === null) return "unknown";
  return by === "day" ? new Date(Number(value) * DAY).toISOString().slice(0, 10) : String(value);
}

/** The same from session rows, which cost nothing to read: for recall, which has no time to count. */
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
