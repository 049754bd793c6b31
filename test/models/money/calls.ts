import type { ModelAttempt, ModelCallRow } from "../../../src/domain/model/call-row.ts";
import { noon } from "./lab.ts";

export const aUsage = { in: 1_000, out: 100, cached: 400, cacheWrite: 0, reasoning: 20 };

export function anAttempt(over: Partial<ModelAttempt> = {}): ModelAttempt {
  return {
    ...{ provider: "anthropic", model: "claude-sonnet-4-5", at: noon, ms: 900, failure: null },
    usage: aUsage,
    cost: 0.003_42,
    price: { in: 3, out: 15, cached: 0.3, cacheWrite: 3.75, from: "2026-09-23" },
    ...over,
  };
}

/** A call that was answered at the first attempt, unless `over` says otherwise. */
export function aCall(id: string, over: Partial<ModelCallRow> = {}): ModelCallRow {
  return {
    ...{ id, at: noon, way: "gateway", agent: "ada", session: "s1", job: null, goal: null },
    ...{ taskType: "review", complexity: "moderate", provider: "anthropic", model: "claude-sonnet-4-5" },
    ...{ outcome: "ok", failure: null, ms: 1_000, firstTokenMs: 200, usage: aUsage, cost: 0.003_42 },
    ...{ priceKnown: true, listPrice: false, healed: false, explored: false, route: ["the cheapest so far"] },
    attempts: [anAttempt()],
    ...over,
  };
}
