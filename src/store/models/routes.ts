import type { LoggedCall } from "../../domain/evolution/evolution.ts";
import { toDollars } from "../../domain/model/money.ts";
import type { Complexity, RouteAttempt, TaskOutcome } from "../../domain/route/tally.ts";
import type { Db } from "../engine/db.ts";

/** One line of the router's log: what was chosen for a call, and what would have been chosen without exploring. */
export interface RoutedCall {
  readonly call: string;
  readonly at: number;
  readonly agent: string;
  readonly session: string | null;
  readonly taskType: string;
  readonly complexity: Complexity;
  /** The model that answered, or was tried last. */
  readonly model: string;
  readonly best: string | null;
  readonly attempt: RouteAttempt;
  readonly explored: boolean;
  /** Tokens of this call that are in the provider's prompt cache now. */
  readonly cachedTokens: number;
}

export async function storeRoute(db: Db, one: RoutedCall): Promise<void> {
  await db.run(`insert into routes (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    one.call,
    one.at,
    one.agent,
    one.session,
    one.taskType,
    one.complexity,
    one.model,
    one.best,
    one.attempt,
    one.explored ? 1 : 0,
    one.cachedTokens,
  ]);
}

export async function findRoute(db: Db, call: string): Promise<RoutedCall | null> {
  const row = await db.get<RouteRow>(`select ${columns} from routes where call = ?`, [call]);
  return row === undefined ? null : fromRow(row);
}

/** The last call of a session of an agent that was answered. A model that only failed there is not the session's. */
export async function findSessionRoute(db: Db, agent: string, session: string): Promise<RoutedCall | null> {
  const row = await db.get<RouteRow>(
    `select ${columns} from routes where session = ? and agent = ?
       and exists (select 1 from model_calls where id = routes.call and outcome = 'ok')
     order by at desc, call desc limit 1`,
    [session, agent],
  );
  return row === undefined ? null : fromRow(row);
}

/** The call that wrote the answer: another one if the cache repeated it. */
export async function findWriter(db: Db, call: string): Promise<string> {
  const row = await db.get<{ repeats: string | null }>("select repeats from model_calls where id = ?", [call]);
  return row?.repeats ?? call;
}

/** The outcome of a call that counts: what a check gave last, else a person, else a heuristic. Null if nobody has judged the call. */
export async function findKnownOutcome(db: Db, call: string): Promise<TaskOutcome | null> {
  const row = await db.get<{ quality: number; source: string; at: number }>(
    `select quality, source, at from model_quality where call = ?
     order by case source when 'verified' then 0 when 'feedback' then 1 else 2 end, id desc limit 1`,
    [call],
  );
  return row === undefined ? null : { quality: row.quality, verified: row.source !== "heuristic", at: row.at };
}

/**
 * Routed calls that were answered, oldest first, with the quality that a check or a person gave last. A check goes before a
 * person; guesses are left out.
 */
export async function listLoggedCalls(db: Db, since: number): Promise<readonly LoggedCall[]> {
  const rows = await db.all<LoggedRow>(
    `select r.agent, r.task_type, r.complexity, r.model, r.at, c.cost_nanos,
       coalesce(
         (select q.quality from model_quality q where q.call = r.call and q.source = 'verified' order by q.id desc limit 1),
         (select q.quality from model_quality q where q.call = r.call and q.source = 'feedback' order by q.id desc limit 1)
       ) as quality
     from routes r join model_calls c on c.id = r.call
     where r.at >= ? and c.outcome = 'ok' order by r.at, r.call`,
    [since],
  );
  return rows.map((row) => ({
    agent: row.agent,
    taskType: row.task_type,
    complexity: row.complexity as Complexity,
    model: row.model,
    at: row.at,
    cost: toDollars(row.cost_nanos),
    quality: row.quality,
  }));
}

const columns = "call, at, agent, session, task_type, complexity, model, best, attempt, explored, cached_tokens";

interface RouteRow {
  readonly call: string;
  readonly at: number;
  readonly agent: string;
  readonly session: string | null;
  readonly task_type: string;
  readonly complexity: string;
  readonly model: string;
  readonly best: string | null;
  readonly attempt: string;
  readonly explored: number;
  readonly cached_tokens: number;
}

interface LoggedRow {
  readonly agent: string;
  readonly task_type: string;
  readonly complexity: string;
  readonly model: string;
  readonly at: number;
  readonly cost_nanos: number;
  readonly quality: number | null;
}

function fromRow(row: RouteRow): RoutedCall {
  return {
    call: row.call,
    at: row.at,
    agent: row.agent,
    session: row.session,
    taskType: row.task_type,
    complexity: row.complexity as Complexity,
    model: row.model,
    best: row.best,
    attempt: row.attempt as RouteAttempt,
    explored: row.explored === 1,
    cachedTokens: row.cached_tokens,
  };
}
