import type { StrategyTally } from "../../domain/goal/strategy.ts";
import { findFailingStrategies, type FailingStrategy } from "../../domain/goal/strategy.ts";
import type { WorkOutcomes } from "../../domain/goal/learning-evidence.ts";
import type { TaskAttemptState } from "../../domain/goal/attempt.ts";
import type { Policy } from "../../domain/policy.ts";
import type { Db } from "../engine/db.ts";

/** Attempts that ended, counted by what they say they tried. Of one goal, or of all. */
export async function listStrategyTallies(db: Db, goal: string | null = null): Promise<StrategyTally[]> {
  const within = goal === null ? "" : "and task in (select id from tasks where goal = ?)";
  const rows = await db.all<{ goal: string; strategy: string; state: string; count: number }>(
    `select goal, strategy, state, count(*) as count from task_attempts
     where strategy is not null and state in ('verified', 'claimed', 'failed') ${within}
     group by goal, strategy, state order by goal, strategy, state`,
    goal === null ? [] : [goal],
  );
  return rows.map((row) => ({ ...row, state: row.state as TaskAttemptState, count: Number(row.count) }));
}

/** What was tried for a goal so often without success that something else should be tried. */
export async function listFailingStrategies(
  db: Db,
  goal: string,
  policy: Policy["memory"],
): Promise<readonly FailingStrategy[]> {
  return findFailingStrategies(await listStrategyTallies(db, goal), policy);
}

/** Attempts that a check has judged since then, the newest of them. */
export async function listJudgedAttempts(
  db: Db,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<WorkOutcomes["attempts"]> {
  const rows = await db.all<Omit<WorkOutcomes["attempts"][number], "endedAt"> & { readonly ended_at: number }>(
    `select id, task, goal, state, strategy, reason, ended_at from task_attempts
     where ended_at > ? and state in ('verified', 'failed') order by ended_at desc, id desc limit ?`,
    [since, limit],
  );
  return rows.map(({ ended_at, ...row }) => ({ ...row, endedAt: ended_at })).toReversed();
}
