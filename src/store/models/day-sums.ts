import { toDollars } from "../../domain/model/money.ts";
import type { Db, SqlValue } from "../engine/db.ts";

export const costGroups = ["day", "provider", "model", "agent", "task"] as const;
export type CostGroup = (typeof costGroups)[number];

/** Model calls of some days, added up. */
export interface CostSum {
  /** The day, the provider, `provider/model`, the agent or the task type. */
  readonly of: string;
  readonly calls: number;
  readonly answered: number;
  readonly failed: number;
  readonly capped: number;
  /** By the caller. */
  readonly stopped: number;
  /** Answered from the response cache. */
  readonly cached: number;
  readonly healed: number;
  readonly attempts: number;
  readonly failedAttempts: number;
  /** Attempts whose price nobody knew. */
  readonly unknownPrices: number;
  /** Of all calls together. */
  readonly ms: number;
  readonly tokens: {
    readonly in: number;
    readonly out: number;
    readonly cached: number;
    readonly cacheWrite: number;
    readonly reasoning: number;
  };
  /** In dollars, without what a subscription pays. */
  readonly cost: number;
  /** In dollars at list price: what a subscription pays. */
  readonly listPrice: number;
}

export interface CostFilter {
  /** Days in UTC, both counted in. */
  readonly since: string;
  readonly until: string;
  readonly agents?: readonly string[] | undefined;
}

/** By day in order of time; else the most expensive first. */
export async function sumCosts(db: Db, by: CostGroup, filter: CostFilter): Promise<readonly CostSum[]> {
  const group = groupExpressions[by];
  const { where, values } = buildCondition(filter);
  const rows = await db.all<SumRow>(
    `select ${group} as of_what, ${sums} from model_days where ${where} group by ${group} order by ${group}`,
    values,
  );
  const found = rows.map(fromRow);
  const price = (sum: CostSum) => sum.cost + sum.listPrice;
  return by === "day" ? found : found.sort((a, b) => price(b) - price(a) || b.calls - a.calls);
}

/** Everything in those days as one sum. */
export async function sumAllCosts(db: Db, filter: CostFilter): Promise<CostSum> {
  const { where, values } = buildCondition(filter);
  const row = await db.get<SumRow>(`select '' as of_what, ${sums} from model_days where ${where}`, values);
  return fromRow(row as SumRow);
}

function buildCondition({ since, until, agents }: CostFilter): { readonly where: string; readonly values: SqlValue[] } {
  const own = agents === undefined ? "" : ` and agent in (${agents.map(() => "?").join(", ")})`;
  return { where: `day >= ? and day <= ?${own}`, values: [since, until, ...(agents ?? [])] };
}

const groupExpressions: Readonly<Record<CostGroup, string>> = {
  day: "day",
  provider: "provider",
  model: "provider || '/' || model",
  agent: "agent",
  task: "task_type",
};

const summed = [
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
] as const;

const sums = [
  ...summed.map((column) => `cast(coalesce(sum(${column}), 0) as bigint) as ${column}`),
  "cast(coalesce(sum(case when list_price = 0 then cost_nanos else 0 end), 0) as bigint) as cost_nanos",
  "cast(coalesce(sum(case when list_price = 1 then cost_nanos else 0 end), 0) as bigint) as list_nanos",
].join(", ");

type SumRow = Record<(typeof summed)[number] | "cost_nanos" | "list_nanos", number> & { readonly of_what: string };

function fromRow(row: SumRow): CostSum {
  return {
    of: row.of_what,
    calls: row.calls,
    answered: row.answered,
    failed: row.failed,
    capped: row.capped,
    // The only outcome that the table has no column for.
    stopped: row.calls - row.answered - row.failed - row.capped,
    cached: row.cached,
    healed: row.healed,
    attempts: row.attempts,
    failedAttempts: row.failed_attempts,
    unknownPrices: row.unknown_prices,
    ms: row.ms,
    tokens: {
      in: row.tokens_in,
      out: row.tokens_out,
      cached: row.tokens_cached,
      cacheWrite: row.tokens_cache_write,
      reasoning: row.tokens_reasoning,
    },
    cost: toDollars(row.cost_nanos),
    listPrice: toDollars(row.list_nanos),
  };
}
