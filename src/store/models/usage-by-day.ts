import { toDollars } from "../../domain/model/money.ts";
import { DAY } from "../../lib/clock.ts";
import type { Db, SqlValue } from "../engine/db.ts";

export const usageGroups = ["provider", "model", "task", "agent"] as const;
export type UsageGroup = (typeof usageGroups)[number];

export interface UsageFilter {
  /** Days in UTC, both counted in. */
  readonly since: string;
  readonly until: string;
  readonly agents?: readonly string[] | undefined;
}

/** Model calls of one day and one provider, model, kind of task or agent. */
export interface UsageSum {
  readonly day: string;
  readonly of: string;
  readonly calls: number;
  readonly answered: number;
  readonly failed: number;
  readonly capped: number;
  readonly cached: number;
  readonly healed: number;
  /** In dollars, without what a subscription pays. */
  readonly cost: number;
}

export async function sumUsageByDay(db: Db, by: UsageGroup, filter: UsageFilter): Promise<readonly UsageSum[]> {
  const group = groupColumns[by];
  const { sql, values } = buildAgentFilter(filter.agents);
  const sums = counts.map((name) => `cast(sum(${name}) as bigint) as ${name}`).join(", ");
  const rows = await db.all<Omit<UsageSum, "of" | "cost"> & { of_what: string; cost_nanos: number }>(
    `select day, ${group} as of_what, ${sums},
       cast(sum(case when list_price = 0 then cost_nanos else 0 end) as bigint) as cost_nanos
     from model_days where day >= ? and day <= ?${sql} group by day, ${group} order by day, ${group}`,
    [filter.since, filter.until, ...values],
  );
  return rows.map(({ of_what, cost_nanos, ...sum }) => ({ ...sum, of: of_what, cost: toDollars(cost_nanos) }));
}

/** How long answers took: the newest of the days, so that a busy month costs no more than a quiet one. */
export async function listAnswerTimes(
  db: Db,
  by: UsageGroup,
  filter: UsageFilter,
  limit: number,
): Promise<readonly { readonly day: string; readonly of: string; readonly ms: number }[]> {
  const { sql, values } = buildAgentFilter(filter.agents);
  const rows = await db.all<{ day: number; of_what: string; ms: number }>(
    `select at / ${DAY} as day, ${groupColumns[by]} as of_what, ms from model_calls
     where at >= ? and at < ? and outcome = 'ok'${sql} order by at desc limit ?`,
    [...toTimes(filter), ...values, limit],
  );
  return rows.map(({ day, of_what, ms }) => ({ day: toDay(day), of: of_what, ms }));
}

/** How good answers were, by the day of the call: what a check said last, else what a person said last. */
export async function sumQualityByDay(
  db: Db,
  by: UsageGroup,
  filter: UsageFilter,
): Promise<
  readonly { readonly day: string; readonly of: string; readonly judged: number; readonly quality: number }[]
> {
  const group = groupColumns[by];
  const { sql, values } = buildAgentFilter(filter.agents);
  const rows = await db.all<{ day: number; of_what: string; judged: number; quality: number }>(
    `select day, of_what, count(*) as judged, sum(quality) as quality from (
       select at / ${DAY} as day, ${group} as of_what, coalesce(
         (select q.quality from model_quality q where q.call = c.id and q.source = 'verified' order by q.id desc limit 1),
         (select q.quality from model_quality q where q.call = c.id and q.source = 'feedback' order by q.id desc limit 1)
       ) as quality from model_calls c where at >= ? and at < ?${sql}
     ) as judged_calls where quality is not null group by day, of_what order by day, of_what`,
    [...toTimes(filter), ...values],
  );
  return rows.map(({ day, of_what, judged, quality }) => ({ day: toDay(day), of: of_what, judged, quality }));
}

const groupColumns: Readonly<Record<UsageGroup, string>> = {
  provider: "provider",
  model: "provider || '/' || model",
  task: "task_type",
  agent: "agent",
};

const counts = ["calls", "answered", "failed", "capped", "cached", "healed"] as const;

function buildAgentFilter(agents: readonly string[] | undefined): {
  readonly sql: string;
  readonly values: SqlValue[];
} {
  if (agents === undefined) return { sql: "", values: [] };
  return { sql: ` and agent in (${agents.map(() => "?").join(", ")})`, values: [...agents] };
}

/** From the beginning of the first day up to the end of the last. */
function toTimes({ since, until }: UsageFilter): readonly [number, number] {
  return [Date.parse(`${since}T00:00:00Z`), Date.parse(`${until}T00:00:00Z`) + DAY];
}

function toDay(number: number): string {
  return new Date(number * DAY).toISOString().slice(0, 10);
}
