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
