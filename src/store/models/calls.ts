import type { CallQuality, ModelAttempt, ModelCallRow } from "../../domain/model/call-row.ts";
import { toNanos } from "../../domain/model/money.ts";
import type { TokenUsage } from "../../domain/model/usage.ts";
import type { Db, SqlValue } from "../engine/db.ts";
import { addToDays } from "./days.ts";

/** One call with its attempts, and its share of the day's sums. Written once and never changed. */
export function storeCall(db: Db, row: ModelCallRow): Promise<void> {
  return db.tx((tx) => storeCallWithin(tx, row));
}

/** The same for a caller that has a transaction. */
export async function storeCallWithin(tx: Db, row: ModelCallRow): Promise<void> {
  await tx.insertMany({ table: "model_calls", columns: callColumns }, [callValues(row)]);
  await tx.insertMany(
    { table: "model_attempts", columns: attemptColumns },
    row.attempts.map((attempt, number) => attemptValues(row.id, number, attempt)),
  );
  await addToDays(tx, row);
}

export async function storeQuality(db: Db, quality: CallQuality): Promise<void> {
  await db.run("insert into model_quality (call, at, quality, source, note) values (?, ?, ?, ?, ?)", [
    quality.call,
    quality.at,
    quality.quality,
    quality.source,
    quality.note,
  ]);
}

const usageColumns = [
  "tokens_in",
  "tokens_out",
  "tokens_cached",
  "tokens_cache_write",
  "tokens_cache_write_1h",
  "tokens_reasoning",
] as const;

export const callColumns = [
  "id",
  "at",
  "way",
  "agent",
  "session",
  "job",
  "goal",
  "task_type",
  "complexity",
  "provider",
  "model",
  "outcome",
  "failure",
  "ms",
  "first_token_ms",
  ...usageColumns,
  "cost_nanos",
  "price_known",
  "list_price",
  "healed",
  "explored",
  "route",
  "repeats",
] as const;

export const attemptColumns = [
  "call",
  "number",
  "provider",
  "model",
  "at",
  "ms",
  "failure",
  ...usageColumns,
  "cost_nanos",
  "price",
] as const;

function callValues(row: ModelCallRow): readonly SqlValue[] {
  return [
    row.id,
    Math.round(row.at),
    row.way,
    row.agent,
    row.session,
    row.job,
    row.goal,
    row.taskType,
    row.complexity,
    row.provider,
    row.model,
    row.outcome,
    row.failure,
    Math.round(row.ms),
    row.firstTokenMs === null ? null : Math.round(row.firstTokenMs),
    ...usageValues(row.usage),
    toNanos(row.cost),
    row.priceKnown ? 1 : 0,
    row.listPrice ? 1 : 0,
    row.healed ? 1 : 0,
    row.explored ? 1 : 0,
    JSON.stringify(row.route),
    row.repeats ?? null,
  ];
}

function attemptValues(call: string, number: number, attempt: ModelAttempt): readonly SqlValue[] {
  return [
    call,
    number,
    attempt.provider,
    attempt.model,
    Math.round(attempt.at),
    Math.round(attempt.ms),
    attempt.failure,
    ...usageValues(attempt.usage),
    toNanos(attempt.cost),
    attempt.price === null ? null : JSON.stringify(attempt.price),
  ];
}

function usageValues(usage: TokenUsage): readonly SqlValue[] {
  return [usage.in, usage.out, usage.cached, usage.cacheWrite, usage.cacheWrite1h ?? 0, usage.reasoning].map(
    Math.round,
  );
}
