import type { Db, SqlValue } from "../engine/db.ts";
import { buildStretchTable, type Stretch } from "./day-figures.ts";
import { type SqlCondition, buildFolderCondition } from "../state/folder-condition.ts";

/** Failures in a period, and the number of sessions. */
export interface TrendCount {
  readonly failures: number;
  readonly sessions: number;
}

/** All failures and sessions of a period; a session counts at its last event. */
export async function countSessionsIn(
  db: Db,
  stretches: readonly Stretch[],
  workspace?: string,
): Promise<readonly TrendCount[]> {
  const there = workspace === undefined ? null : buildFolderCondition(workspace);
  const where = there === null ? "" : `where ${there.sql}`;
  const values = there?.values ?? [];
  const failures = await counted(db, stretches, {
    sql: `select d.n, count(*) as failures, 0 as sessions from d join failures f on f.at >= d.since and f.at < d.until ${where}`,
    values,
  });
  const sessions = await counted(db, stretches, {
    sql: `select d.n, 0 as failures, count(*) as sessions
      from d join sessions s on s.last_at >= d.since and s.last_at < d.until ${where}`,
    values,
  });
  return failures.map((one, n) => ({ failures: one.failures, sessions: sessions[n]?.sessions ?? 0 }));
}

/** Failures of one mistake, by signature. */
export function countMistakeIn(
  db: Db,
  stretches: readonly Stretch[],
  signature: string,
  workspace?: string,
): Promise<readonly TrendCount[]> {
  const there = workspace === undefined ? null : buildFolderCondition(workspace);
  return counted(db, stretches, {
    sql: `select d.n, count(*) as failures, count(distinct f.session) as sessions
      from d join failures f on f.signature = ? and f.at >= d.since and f.at < d.until
      ${there === null ? "" : `where ${there.sql}`}`,
    values: [signature, ...(there?.values ?? [])],
  });
}

/**
 * Failures of the calls that a rule matches, from its counts; a session counts at its first such call. The
 * table has no index on time, so rows are read once and assigned to periods here.
 */
export async function countRuleIn(
  db: Db,
  stretches: readonly Stretch[],
  rule: string,
  workspace?: string,
): Promise<readonly TrendCount[]> {
  const there = workspace === undefined ? null : buildFolderCondition(workspace);
  const rows = await db.all<{ at: number; failed: number }>(
    `select r.at, r.failed from rule_sessions r where r.rule = ? and r.failed > 0 and r.at >= ? and r.at < ?
     ${there === null ? "" : `and (r.host, r.session) in (select host, id from sessions where ${there.sql})`}`,
    [rule, stretches[0]?.since ?? 0, stretches.at(-1)?.until ?? 0, ...(there?.values ?? [])],
  );
  return stretches.map(({ since, until }) => {
    const inside = rows.filter(({ at }) => at >= since && at < until);
    return { failures: inside.reduce((sum, { failed }) => sum + failed, 0), sessions: inside.length };
  });
}

async function counted(db: Db, stretches: readonly Stretch[], query: SqlCondition): Promise<readonly TrendCount[]> {
  const buckets = buildStretchTable(stretches);
  const rows = await db.all<{ n: SqlValue; failures: SqlValue; sessions: SqlValue }>(
    `${buckets.sql} ${query.sql} group by d.n`,
    [...buckets.values, ...query.values],
  );
  const byNumber = new Map(rows.map((row) => [Number(row.n), row]));
  return stretches.map((_, n) => ({
    failures: Number(byNumber.get(n)?.failures ?? 0),
    sessions: Number(byNumber.get(n)?.sessions ?? 0),
  }));
}
