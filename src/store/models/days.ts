import type { ModelCallRow } from "../../domain/model/call-row.ts";
import { spendingDay } from "../../domain/model/caps.ts";
import { toNanos } from "../../domain/model/money.ts";
import type { Db, SqlValue } from "../engine/db.ts";

/**
 * Sums by day, agent, provider, model and task type, so that no question about costs reads every call. Tokens and costs are
 * those of the attempts, each under the model that it was made with; the call itself counts under the model that answered.
 */
export async function addToDays(tx: Db, row: ModelCallRow): Promise<void> {
  const sums = new Map<string, DaySum>();
  const at = (provider: string, model: string): DaySum => {
    const key = JSON.stringify([provider, model]);
    const found = sums.get(key) ?? newSum(provider, model);
    sums.set(key, found);
    return found;
  };
  for (const attempt of row.attempts) {
    const sum = at(attempt.provider, attempt.model);
    sum.attempts++;
    sum.failed_attempts += attempt.failure === null ? 0 : 1;
    sum.unknown_prices += attempt.price === null ? 1 : 0;
    sum.tokens_in += attempt.usage.in;
    sum.tokens_out += attempt.usage.out;
    sum.tokens_cached += attempt.usage.cached;
    sum.tokens_cache_write += attempt.usage.cacheWrite;
    sum.tokens_reasoning += attempt.usage.reasoning;
    sum.cost_nanos += toNanos(attempt.cost);
  }
  const call = at(row.provider, row.model);
  call.calls++;
  call.answered += row.outcome === "ok" || row.outcome === "cached" ? 1 : 0;
  call.failed += row.outcome === "failed" ? 1 : 0;
  call.capped += row.outcome === "capped" ? 1 : 0;
  call.cached += row.outcome === "cached" ? 1 : 0;
  call.healed += row.healed ? 1 : 0;
  call.ms += row.ms;
  // In one order for all: two writers never wait for each other in a circle.
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  await tx.insertMany(
    { table: "model_days", columns: ["day", "agent", "task_type", "list_price", "provider", "model", ...counts], tail },
    sorted.map((sum) => [
      spendingDay(row.at),
      row.agent,
      row.taskType,
      row.listPrice ? 1 : 0,
      sum.provider,
      sum.model,
      ...counts.map((column): SqlValue => Math.round(sum[column])),
    ]),
  );
}

const counts = [
  "calls",
  "answered",
  "failed",
  "capped",
  "cached",
  "healed",
  "attempts",
  "failed_attempts",
  "unknown_prices",
  "ms",
  "tokens_in",
  "tokens_out",
  "tokens_cached",
  "tokens_cache_write",
  "tokens_reasoning",
  "cost_nanos",
] as const;

type DaySum = { readonly provider: string; readonly model: string } & Record<(typeof counts)[number], number>;

function newSum(provider: string, model: string): DaySum {
  const zeros = Object.fromEntries(counts.map((column) => [column, 0])) as Record<(typeof counts)[number], number>;
  return { provider, model, ...zeros };
}

const tail = `on conflict (day, agent, provider, model, task_type, list_price) do update set ${counts
  .map((column) => `${column} = model_days.${column} + excluded.${column}`)
  .join(", ")}`;
