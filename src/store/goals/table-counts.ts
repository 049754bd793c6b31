import type { GoalCounts } from "../../domain/goal/check-snapshot.ts";
import type { Db } from "../engine/db.ts";

/** How many tasks of each goal are done, counted by the database. */
export async function countTasksByGoal(db: Db): Promise<GoalCounts[]> {
  const rows = await db.all<{ [Name in keyof GoalCounts]: GoalCounts[Name] | string }>(
    `select g.id as goal, g.status as status,
       coalesce(sum(case when t.status = 'done' and t.proof = 'verified' then 1 else 0 end), 0) as verified,
       coalesce(sum(case when t.status = 'done' and (t.proof is null or t.proof <> 'verified') then 1 else 0 end), 0) as claimed,
       coalesce(sum(case when t.id is not null and t.status <> 'dropped' then 1 else 0 end), 0) as tasks,
       coalesce(sum(case when t.status = 'blocked' then 1 else 0 end), 0) as blocked
     from goals g left join tasks t on t.goal = g.id group by g.id, g.status order by g.id`,
  );
  return rows.map(({ goal, status, ...counts }) => ({
    ...{ goal: String(goal), status: String(status), verified: Number(counts.verified) },
    ...{ claimed: Number(counts.claimed), tasks: Number(counts.tasks), blocked: Number(counts.blocked) },
  }));
}
