import type { CalendarDay } from "../../domain/days.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import { type SqlCondition, buildFolderCondition } from "../state/folder-condition.ts";

/** A period that is counted separately. */
export type Stretch = Pick<CalendarDay, "since" | "until">;

/** What happened in one period, and what was shown in it. */
export interface DayFigures {
  /** Failed calls. */
  readonly failed: number;
  /** Failed calls whose signature was seen before. */
  readonly repeated: number;
  readonly held: number;
  readonly asked: number;
  readonly denied: number;
  /** Rules and facts shown as a note with a call. */
  readonly noted: number;
  /** Failed calls that got an answer. */
  readonly answered: number;
  /** Answers that a later call used. */
  readonly used: number;
  /** Sessions that followed a rule they were shown, counted per rule. */
  readonly avoided: number;
}

const none: DayFigures = {
  failed: 0,
  repeated: 0,
  held: 0,
  asked: 0,
  denied: 0,
  noted: 0,
  answered: 0,
  used: 0,
  avoided: 0,
};

export const dayFigureNames = Object.keys(none) as readonly (keyof DayFigures)[];

/** The figures of each period, in order. Each table is read through its index on time. */
export async function countDayFigures(
  db: Db,
  stretches: readonly Stretch[],
  workspace?: string,
): Promise<readonly DayFigures[]> {
  const counted = stretches.map((): Record<keyof DayFigures, number> => ({ ...none }));
  const there = workspace === undefined ? null : buildFolderCondition(workspace);
  for (const { sql, values } of [failures(there), said(there), answers(there), kept(there)]) {
    const buckets = buildStretchTable(stretches);
    const rows = await db.all<Partial<Record<keyof DayFigures, SqlValue>> & { readonly n: number }>(
      `${buckets.sql} ${sql} group by d.n`,
      [...buckets.values, ...values],
    );
    for (const { n, ...figures } of rows)
      for (const name of dayFigureNames) {
        const row = counted[Number(n)];
        if (row !== undefined) row[name] += Number(figures[name] ?? 0);
      }
  }
  return counted;
}

/** The periods as a table to join with, so that one query covers all. */
export function buildStretchTable(stretches: readonly Stretch[]): SqlCondition {
  const row = "(cast(? as bigint), cast(? as bigint), cast(? as bigint))";
  return {
    sql: `with d (n, since, until) as (values ${stretches.map(() => row).join(", ")})`,
    values: stretches.flatMap(({ since, until }, n) => [n, since, until]),
  };
}

const sum = (condition: string, name: string) => `sum(case when ${condition} then 1 else 0 end) as ${name}`;

function failures(there: SqlCondition | null): SqlCondition {
  return {
    sql: `select d.n, count(*) as failed,
        count(*) - count(distinct case when f.at <= g.first_at then f.signature end) as repeated
      from d join failures f on f.at >= d.since and f.at < d.until
        left join failure_groups g on g.signature = f.signature
      where true ${there === null ? "" : `and ${there.sql}`}`,
    values: there?.values ?? [],
  };
}

/** What the control group would have been shown is stored too, at level `watch`, and excluded here. */
function said(there: SqlCondition | null): SqlCondition {
  return {
    sql: `select d.n, ${sum("s.delivery = 'hold'", "held")}, ${sum("s.delivery = 'ask'", "asked")},
        ${sum("s.delivery = 'deny'", "denied")}, ${sum("s.delivery = 'note'", "noted")}
      from d join shown s on s.at >= d.since and s.at < d.until
      where s.kind in ('rule', 'fact') and s.moment in ('before-call', 'after-failure') and s.level <> 'watch'
        ${ofSessions("s", there)}`,
    values: there?.values ?? [],
  };
}

function answers(there: SqlCondition | null): SqlCondition {
  return {
    sql: `select d.n, count(*) as answered, ${sum("a.used = 1", "used")}
      from d join answers a on a.at >= d.since and a.at < d.until where a.given = 1 ${ofSessions("a", there)}`,
    values: there?.values ?? [],
  };
}

function kept(there: SqlCondition | null): SqlCondition {
  return {
    sql: `select d.n, count(*) as avoided from d join reinforced r on r.at >= d.since and r.at < d.until
      where r.broken = 0 ${ofSessions("r", there)}`,
    values: there?.values ?? [],
  };
}

function ofSessions(table: string, there: SqlCondition | null): string {
  return there === null
    ? ""
    : `and (${table}.host, ${table}.session) in (select host, id from sessions where ${there.sql})`;
}

/** Ids of the rules mined since then; the first change of a rule tells its origin. */
export async function listRulesMinedSince(db: Db, since: number): Promise<ReadonlySet<string>> {
  const rows = await db.all<{ id: string }>(
    `select id from rules where created_at >= ?
       and (select j.cause_id from journal j where j.noun = 'rule' and j.subject = rules.id order by j.id limit 1) = 'distil'`,
    [since],
  );
  return new Set(rows.map((row) => row.id));
}
