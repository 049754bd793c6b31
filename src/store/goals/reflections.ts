import type { ExecutionEntry } from "../../domain/goal/cycle.ts";
import type { ReflectionHistory } from "../../domain/goal/reflection-gate.ts";
import type { Db } from "../engine/db.ts";

/**
 * What the gate must know of the cycles. Goes by their numbers, because clocks may be set back. Reads two entries of an index,
 * and after them at most `most` cycles that worked on a task.
 */
export async function readReflectionCycles(
  db: Db,
  { most }: { readonly most: number },
): Promise<Omit<ReflectionHistory, "isWorkPending">> {
  const tried = await db.get<{ readonly number: number }>(
    "select number from cycles where action = 'reflect' and ended_at is not null order by number desc limit 1",
  );
  const reflected = await db.get<{ readonly ended_at: number }>(
    `select ended_at from cycles where action = 'reflect' and outcome = 'reflected' and ended_at is not null
     order by number desc limit 1`,
  );
  const last = await db.get<{ readonly number: number }>(
    "select number from cycles where ended_at is not null order by number desc limit 1",
  );
  const executed = await db.get<{ readonly count: number }>(
    `select count(*) as count from (
       select 1 as there from cycles where action = 'execute' and number > ? and ended_at is not null
         and outcome in ('verified', 'claimed', 'failed', 'blocked') limit ?) as worked`,
    [tried?.number ?? 0, most],
  );
  return {
    reflectedAt: reflected?.ended_at ?? null,
    wasTried: tried !== undefined,
    isLastReflection: tried !== undefined && tried.number === last?.number,
    executed: Number(executed?.count ?? 0),
  };
}

/** What reflections said, the newest first. */
export async function listReflections(db: Db, { limit }: { readonly limit: number }): Promise<ExecutionEntry[]> {
  const rows = await db.all<Omit<ExecutionEntry, "details"> & { readonly details: string }>(
    `select id, at, cycle, action, summary, details, ms, goal, task, source from execution_log
     where action = 'reflect' order by at desc, id desc limit ?`,
    [limit],
  );
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }));
}
