import type { ModelCallRow } from "../../src/domain/model/call-row.ts";
import { noUsage } from "../../src/domain/model/usage.ts";

/** A call that went well, with one attempt; what is said of it goes first. */
export function aModelCall(id: string, at: number, more: Partial<ModelCallRow> = {}): ModelCallRow {
  const row: ModelCallRow = {
    id,
    at,
    way: "gateway",
    agent: "clerk",
    session: null,
    job: null,
    goal: null,
    taskType: "triage",
    complexity: "simple",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    outcome: "ok",
    failure: null,
    ms: 800,
    firstTokenMs: 200,
    usage: { ...noUsage, in: 1_000, out: 200 },
    cost: 0.01,
    priceKnown: true,
    listPrice: false,
    healed: false,
    explored: false,
    route: ["anthropic/claude-sonnet-4-5 is chosen: it has the highest score of 2 models in the pool, 0.71."],
    attempts: [],
    ...more,
  };
  const { provider, model, ms, failure, usage, cost } = row;
  const attempt = { provider, model, at, ms, failure, usage, cost, price: null };
  return row.attempts.length > 0 || row.outcome === "cached" ? row : { ...row, attempts: [attempt] };
}
