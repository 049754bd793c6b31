import { toDollars } from "../../domain/model/money.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import type { Db } from "../engine/db.ts";

/** What a check or a person said last about each of these calls. A check goes before a person; guesses are left out. */
export async function listFeedback(
  db: Db,
  calls: readonly string[],
): Promise<ReadonlyMap<string, { readonly quality: number; readonly note: string | null }>> {
  if (calls.length === 0) return new Map();
  const rows = await db.all<{ call: string; quality: number; note: string | null }>(
    `select call, quality, note from model_quality
     where call in (${calls.map(() => "?").join(", ")}) and source <> 'heuristic'
     order by case source when 'verified' then 1 else 0 end, id`,
    calls,
  );
  return new Map(rows.map(({ call, quality, note }) => [call, { quality, note }]));
}

/** The last verdict on one of these calls. A check goes before a person; guesses are left out. */
export async function findVerdict(
  db: Db,
  calls: readonly string[],
): Promise<{ readonly quality: number; readonly note: string | null } | null> {
  if (calls.length === 0) return null;
  const row = await db.get<{ quality: number; note: string | null }>(
    `select quality, note from model_quality
     where call in (${calls.map(() => "?").join(", ")}) and source <> 'heuristic'
     order by case source when 'verified' then 0 else 1 end, id desc limit 1`,
    calls,
  );
  return row ?? null;
}

/** How many of an agent's calls since a time a check or a person called bad. */
export async function countBadCalls(db: Db, agent: string, since: number): Promise<number> {
  const row = await db.get<{ count: number }>(
    `select count(*) as count from model_calls c join model_quality q on q.call = c.id
     where c.agent = ? and c.at >= ? and q.source <> 'heuristic' and q.quality < 0.5`,
    [agent, since],
  );
  return row?.count ?? 0;
}

/** Null if this agent did not make this call. */
export async function findAgentCall(
  db: Db,
  agent: string,
  call: string,
): Promise<{ readonly session: string | undefined } | null> {
  const row = await db.get<{ session: string | null }>("select session from model_calls where id = ? and agent = ?", [
    call,
    agent,
  ]);
  return row === undefined ? null : { session: row.session ?? undefined };
}

/** What an agent's calls with one model came to, for one kind of task. */
export interface AgentModelSum {
  readonly taskType: string;
  readonly complexity: Complexity;
  /** `provider/model`. */
  readonly model: string;
  readonly calls: number;
  readonly answered: number;
  readonly failed: number;
  readonly cached: number;
  readonly healed: number;
  readonly cost: number;
  readonly ms: number;
  /** Calls that a check or a person judged, and the mean of what they said last. */
  readonly judged: number;
  readonly quality: number | null;
}

/** The most used first. Since a time, because it looks at every call. */
export async function sumAgentModels(db: Db, agent: string, since: number): Promise<readonly AgentModelSum[]> {
  const rows = await db.all<AgentModelRow>(
    `select task_type, complexity, provider || '/' || model as name, count(*) as calls,
       cast(sum(case when outcome in ('ok', 'cached') then 1 else 0 end) as bigint) as answered,
       cast(sum(case when outcome = 'failed' then 1 else 0 end) as bigint) as failed,
       cast(sum(case when outcome = 'cached' then 1 else 0 end) as bigint) as cached,
       cast(sum(healed) as bigint) as healed, cast(sum(cost_nanos) as bigint) as cost_nanos,
       cast(sum(ms) as bigint) as ms, count(quality) as judged, avg(quality) as quality
     from (select c.*, coalesce(
         (select q.quality from model_quality q where q.call = c.id and q.source = 'verified' order by q.id desc limit 1),
         (select q.quality from model_quality q where q.call = c.id and q.source = 'feedback' order by q.id desc limit 1)
       ) as quality from model_calls c where c.agent = ? and c.at >= ? and c.outcome <> 'capped') as judged_calls
     group by task_type, complexity, provider, model order by count(*) desc, task_type, name`,
    [agent, since],
  );
  return rows.map((row) => ({
    taskType: row.task_type,
    complexity: row.complexity as Complexity,
    model: row.name,
    calls: row.calls,
    answered: row.answered,
    failed: row.failed,
    cached: row.cached,
    healed: row.healed,
    cost: toDollars(row.cost_nanos),
    ms: row.ms,
    judged: row.judged,
    quality: row.quality,
  }));
}

interface AgentModelRow {
  readonly task_type: string;
  readonly complexity: string;
  readonly name: string;
  readonly calls: number;
  readonly answered: number;
  readonly failed: number;
  readonly cached: number;
  readonly healed: number;
  readonly cost_nanos: number;
  readonly ms: number;
  readonly judged: number;
  readonly quality: number | null;
}

/** When an agent's last call was answered, and when its last one began. */
export async function findLastCalls(
  db: Db,
  agent: string,
): Promise<{ readonly answeredAt: number | null; readonly calledAt: number | null }> {
  const newest = "select at from model_calls where agent = ?";
  const called = await db.get<{ at: number }>(`${newest} order by at desc limit 1`, [agent]);
  const answered = await db.get<{ at: number }>(`${newest} and outcome in ('ok', 'cached') order by at desc limit 1`, [
    agent,
  ]);
  return { answeredAt: answered?.at ?? null, calledAt: called?.at ?? null };
}

/** Every name under which models were called, the latest first. */
export function listAgentNames(
  db: Db,
  limit: number,
): Promise<readonly { readonly agent: string; readonly day: string }[]> {
  return db.all("select agent, max(day) as day from model_days group by agent order by max(day) desc, agent limit ?", [
    limit,
  ]);
}
