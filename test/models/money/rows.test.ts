import { describe, expect, it } from "vitest";
import { attemptAttributes, callAttributes } from "../../../src/domain/model/gen-ai.ts";
import { addUsage } from "../../../src/domain/model/usage.ts";
import { storeCall, storeQuality } from "../../../src/store/models/calls.ts";
import { sumAllCosts, sumCosts } from "../../../src/store/models/day-sums.ts";
import { getCall, listCalls, listQuality } from "../../../src/store/models/stored-calls.ts";
import { stores, withStore } from "../../stores.ts";
import { aCall, anAttempt, aUsage } from "./calls.ts";
import { noon } from "./lab.ts";

const day = { since: "2026-11-17", until: "2026-11-17" };
const failed = anAttempt({ provider: "openai", model: "gpt-5", failure: "overloaded", cost: 0.001, ms: 50 });
const healed = aCall("mc_2", {
  ...{ at: noon + 1, healed: true, attempts: [failed, anAttempt()], usage: addUsage(aUsage, aUsage), cost: 0.004_42 },
  ...{ session: null, job: "nightly", goal: "ship", explored: true, taskType: "plan" },
});

describe.each(stores)("the row of a model call, on $name", (kind) => {
  it("comes back as it was stored, with every attempt and the price at its time", () =>
    withStore(kind, async ({ db }) => {
      const hour = { ...aUsage, cacheWrite: 300, cacheWrite1h: 200 };
      const dear = anAttempt({ usage: hour, price: null });
      const rows = [aCall("mc_1"), healed, aCall("mc_3", { at: noon + 2, usage: hour, attempts: [dear] })];
      for (const row of rows) await storeCall(db, row);
      expect(await getCall(db, "mc_2")).toEqual(healed);
      expect(await getCall(db, "mc_3")).toEqual(rows[2]);
      expect(await listCalls(db, { limit: 10 })).toEqual(rows.toReversed());
      expect(await listCalls(db, { limit: 1, before: "mc_2" })).toEqual([rows[0]]);
      expect(await listCalls(db, { limit: 10, session: "s1", since: noon + 1 })).toEqual([rows[2]]);
      expect(await getCall(db, "mc_9")).toBeNull();
    }));

  it("is written once: a second row of the same id is refused, and adds nothing to the day", () =>
    withStore(kind, async ({ db }) => {
      await storeCall(db, aCall("mc_1"));
      await expect(storeCall(db, aCall("mc_1", { cost: 9 }))).rejects.toThrow();
      expect((await sumAllCosts(db, day)).calls).toBe(1);
    }));

  it("has its judgements in separate rows, in the order they were made", () =>
    withStore(kind, async ({ db }) => {
      const early = { call: "mc_1", at: noon, quality: 0.4, source: "heuristic", note: null } as const;
      const late = { call: "mc_1", at: noon + 5, quality: 1, source: "verified", note: "the tests pass" } as const;
      await storeQuality(db, early);
      await storeQuality(db, late);
      expect(await listQuality(db, "mc_1")).toEqual([early, late]);
    }));

  it("is counted by day, provider, model, agent and task; an attempt under the model that it used", () =>
    withStore(kind, async ({ db }) => {
      await storeCall(db, aCall("mc_1"));
      await storeCall(db, healed);
      await storeCall(db, aCall("mc_3", { agent: "bob", listPrice: true }));
      const capped = { outcome: "capped", failure: "cap", attempts: [], cost: 0, at: noon - 86_400_000 } as const;
      await storeCall(db, aCall("mc_4", capped));
      const costs = async (by: Parameters<typeof sumCosts>[1], since = day.since) =>
        (await sumCosts(db, by, { ...day, since })).map(({ of, calls, attempts, cost, listPrice }) => [
          ...[of, calls, attempts, cost, listPrice],
        ]);
      expect(await costs("provider")).toEqual([
        ["anthropic", 3, 3, 0.006_84, 0.003_42],
        ["openai", 0, 1, 0.001, 0],
      ]);
      expect(await costs("model")).toEqual([
        ["anthropic/claude-sonnet-4-5", 3, 3, 0.006_84, 0.003_42],
        ["openai/gpt-5", 0, 1, 0.001, 0],
      ]);
      expect(await costs("agent")).toEqual([
        ["ada", 2, 3, 0.007_84, 0],
        ["bob", 1, 1, 0, 0.003_42],
      ]);
      expect(await costs("task")).toEqual([
        ["review", 2, 2, 0.003_42, 0.003_42],
        ["plan", 1, 2, 0.004_42, 0],
      ]);
      expect(await costs("day", "2026-11-16")).toEqual([
        ["2026-11-16", 1, 0, 0, 0],
        ["2026-11-17", 3, 4, 0.007_84, 0.003_42],
      ]);
      const own = await sumAllCosts(db, { ...day, agents: ["bob"] });
      expect(own).toMatchObject({ calls: 1, answered: 1, tokens: aUsage, cost: 0, listPrice: 0.003_42 });
      expect(await sumAllCosts(db, { ...day, since: "2026-11-16" })).toMatchObject({
        ...{ calls: 4, capped: 1, healed: 1, failedAttempts: 1, unknownPrices: 0 },
      });
    }));
});

it("has OpenTelemetry's names, and none for what is not there", () => {
  expect(callAttributes(healed)).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.response.model": "claude-sonnet-4-5",
    "gen_ai.usage.input_tokens": 2_000,
    "gen_ai.usage.output_tokens": 200,
    "gen_ai.usage.cache_read.input_tokens": 800,
    "gen_ai.usage.cache_creation.input_tokens": 0,
    "gen_ai.usage.reasoning.output_tokens": 40,
    "gen_ai.response.time_to_first_chunk": 0.2,
    "gen_ai.agent.name": "ada",
    "oldhand.call.id": "mc_2",
    "oldhand.way": "gateway",
    "oldhand.task.type": "plan",
    "oldhand.task.complexity": "moderate",
    "oldhand.job": "nightly",
    "oldhand.goal": "ship",
    "oldhand.outcome": "ok",
    "oldhand.cost.usd": 0.004_42,
    "oldhand.cost.list_price": false,
    "oldhand.healed": true,
  });
  expect(attemptAttributes("mc_2", 0, failed)).toMatchObject({
    "error.type": "overloaded",
    "gen_ai.request.model": "gpt-5",
    "oldhand.attempt": 0,
  });
});
