import { expect, it } from "vitest";
import type { Entry } from "./entry.ts";
import { sumUsage } from "./usage.ts";

it("the context is that of the request that was answered, not the sum of all attempts", () => {
  const usage = { in: 5_000, out: 100, cached: 0, cacheWrite: 0, reasoning: 0 };
  const message = { role: "assistant", parts: [] } as const;
  const details = { kind: "assistant", turn: 1, message, call: "mc_1", model: "a/b", usage, cost: 0, finish: "stop" };
  const entry = { ...details, context: 2_550, seq: 1, at: 0 } as unknown as Entry;
  expect(sumUsage([entry], { window: null })).toMatchObject({ contextTokens: 2_550, tokensIn: 5_000 });
});

it("the context is not 0 after an answer that was stopped before its provider reported anything", () => {
  const nothing = { in: 0, out: 0, cached: 0, cacheWrite: 0, reasoning: 0 };
  const details = { kind: "assistant", turn: 1, message: { role: "assistant", parts: [] }, call: "mc_1", model: "a/b" };
  const entry = (usage: object) => ({ ...details, usage, cost: 0, finish: "stop", seq: 1, at: 0 }) as unknown as Entry;
  const entries = [entry({ ...nothing, in: 900, out: 100 }), entry(nothing)];
  expect(sumUsage(entries, { window: 32_000 })).toMatchObject({ contextTokens: 1_000 });
});
