import type {
  CallQuality,
  CallOutcome,
  CallWay,
  ModelAttempt,
  ModelCallRow,
  QualitySource,
  StoredPrice,
} from "../../domain/model/call-row.ts";
import type { ModelFailureKind } from "../../domain/model/failure.ts";
import { toDollars } from "../../domain/model/money.ts";
import type { TokenUsage } from "../../domain/model/usage.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import { attemptColumns, callColumns } from "./calls.ts";

export interface CallFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  /** Calls that began before this one, to page on. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listCalls(db: Db, filter: CallFilter): Promise<readonly ModelCallRow[]> {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (sql: string, value: SqlValue | undefined) => {
    if (value === undefined) return;
    conditions.push(sql);
    values.push(value);
  };
  add("at >= ?", filter.since);
  add("at <= ?", filter.until);
  add("agent = ?", filter.agent);
  add("session = ?", filter.session);
  add("(at, id) < (select at, id from model_calls where id = ?)", filter.before);
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const calls = await db.all<CallRecord>(
    `select ${callColumns.join(", ")} from model_calls ${where} order by at desc, id desc limit ?`,
    [...values, filter.limit],
  );
  return withAttempts(db, calls);
}

/** The newest call of this job since then that a cap stopped; null if there is none. Its route says which cap. */
export async function findCappedCall(
  db: Db,
  job: string,
  since: number,
): Promise<Pick<ModelCallRow, "id" | "route"> | null> {
  const row = await db.get<Pick<CallRecord, "id" | "route">>(
    "select id, route from model_calls where job = ? and at >= ? and outcome = 'capped' order by at desc, id desc limit 1",
    [job, since],
  );
  return row === undefined ? null : { id: row.id, route: JSON.parse(row.route) as readonly string[] };
}

export interface CallSums {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokensCached: number;
  /** Dollars. */
  readonly cost: number;
}

/** What all calls of some sessions used together. A call that failed before a model read it does not count. */
export async function sumSessionCalls(db: Db, sessions: readonly string[]): Promise<CallSums> {
  const row = await db.get<Readonly<Record<"calls" | "tokens_in" | "tokens_out" | "cached" | "nanos", number | null>>>(
    `select count(*) as calls, sum(tokens_in) as tokens_in, sum(tokens_out) as tokens_out, sum(tokens_cached) as cached,
            sum(cost_nanos) as nanos
     from model_calls where session in (${sessions.map(() => "?").join(", ")})
       and (outcome not in ('failed', 'capped') or tokens_in > 0 or tokens_out > 0 or cost_nanos > 0)`,
    sessions,
  );
  return {
    calls: Number(row?.calls ?? 0),
    tokensIn: Number(row?.tokens_in ?? 0),
    tokensOut: Number(row?.tokens_out ?? 0),
    tokensCached: Number(row?.cached ?? 0),
    cost: toDollars(Number(row?.nanos ?? 0)),
  };
}

export async function getCall(db: Db, id: string): Promise<ModelCallRow | null> {
  const row = await db.get<CallRecord>(`select ${callColumns.join(", ")} from model_calls where id = ?`, [id]);
  return row === undefined ? null : ((await withAttempts(db, [row]))[0] ?? null);
}

/** Oldest first. */
export async function listQuality(db: Db, call: string): Promise<readonly CallQuality[]> {
  const rows = await db.all<{ call: string; at: number; quality: number; source: string; note: string | null }>(
    "select call, at, quality, source, note from model_quality where call = ? order by id",
    [call],
  );
  return rows.map((row) => ({ ...row, source: row.source as QualitySource }));
}

async function withAttempts(db: Db, calls: readonly CallRecord[]): Promise<readonly ModelCallRow[]> {
  if (calls.length === 0) return [];
  const attempts = await db.all<AttemptRecord>(
    `select ${attemptColumns.join(", ")} from model_attempts where call in (${calls.map(() => "?").join(", ")}) order by call, number`,
    calls.map(({ id }) => id),
  );
  const byCall = new Map<string, ModelAttempt[]>();
  for (const one of attempts) byCall.set(one.call, [...(byCall.get(one.call) ?? []), attemptOf(one)]);
  return calls.map((call) => callOf(call, byCall.get(call.id) ?? []));
}

interface UsageRecord {
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly tokens_cached: number;
  readonly tokens_cache_write: number;
  readonly tokens_cache_write_1h: number;
  readonly tokens_reasoning: number;
}

interface CallRecord extends UsageRecord {
  readonly id: string;
  readonly at: number;
  readonly way: string;
  readonly agent: string;
  readonly session: string | null;
  readonly job: string | null;
  readonly goal: string | null;
  readonly task_type: string;
  readonly complexity: string;
  readonly provider: string;
  readonly model: string;
  readonly outcome: string;
  readonly failure: string | null;
  readonly ms: number;
  readonly first_token_ms: number | null;
  readonly cost_nanos: number;
  readonly price_known: number;
  readonly list_price: number;
  readonly healed: number;
  readonly explored: number;
  readonly route: string;
  readonly repeats: string | null;
}

interface AttemptRecord extends UsageRecord {
  readonly call: string;
  readonly provider: string;
  readonly model: string;
  readonly at: number;
  readonly ms: number;
  readonly failure: string | null;
  readonly cost_nanos: number;
  readonly price: string | null;
}

function callOf(row: CallRecord, attempts: readonly ModelAttempt[]): ModelCallRow {
  return {
    id: row.id,
    at: row.at,
    way: row.way as CallWay,
    agent: row.agent,
    session: row.session,
    job: row.job,
    goal: row.goal,
    taskType: row.task_type,
    complexity: row.complexity as Complexity,
    provider: row.provider,
    model: row.model,
    outcome: row.outcome as CallOutcome,
    failure: row.failure as ModelFailureKind | null,
    ms: row.ms,
    firstTokenMs: row.first_token_ms,
    usage: usageOf(row),
    cost: toDollars(row.cost_nanos),
    priceKnown: row.price_known === 1,
    listPrice: row.list_price === 1,
    healed: row.healed === 1,
    explored: row.explored === 1,
    route: JSON.parse(row.route) as readonly string[],
    attempts,
    ...(row.repeats === null ? {} : { repeats: row.repeats }),
  };
}

function attemptOf(row: AttemptRecord): ModelAttempt {
  return {
    provider: row.provider,
    model: row.model,
    at: row.at,
    ms: row.ms,
    failure: row.failure as ModelFailureKind | null,
    usage: usageOf(row),
    cost: toDollars(row.cost_nanos),
    price: row.price === null ? null : (JSON.parse(row.price) as StoredPrice),
  };
}

function usageOf(row: UsageRecord): TokenUsage {
  return {
    in: row.tokens_in,
    out: row.tokens_out,
    cached: row.tokens_cached,
    cacheWrite: row.tokens_cache_write,
    ...(row.tokens_cache_write_1h > 0 ? { cacheWrite1h: row.tokens_cache_write_1h } : {}),
    reasoning: row.tokens_reasoning,
  };
}
