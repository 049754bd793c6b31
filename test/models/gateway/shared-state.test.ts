import { describe, expect, it } from "vitest";
import { addFailure, type BreakerPolicy } from "../../../src/domain/model/breaker.ts";
import { routePolicy } from "../../../src/domain/route/policy.ts";
import { addCall } from "../../../src/domain/route/tally.ts";
import { changeBreaker, listBreakers } from "../../../src/store/models/breakers.ts";
import { readPlaceholderKey } from "../../../src/store/models/placeholder-key.ts";
import { changeTally, listTallies } from "../../../src/store/models/tallies.ts";
import { openStore } from "../../../src/store/open.ts";
import { stores, withStore } from "../../stores.ts";

const key = { taskType: "triage", complexity: "simple", model: "openai/gpt-5", attempt: "first" } as const;
const policy: BreakerPolicy = { failures: 1_000, burstMs: 0, openMs: 1, maxOpenMs: 1, probeMs: 1 };
const failure = { kind: "overloaded", retryAfterMs: null } as const;

describe.each(stores)("what all processes share, on $name", (kind) => {
  it("loses no change when two connections change the same tally or breaker at the same time", () =>
    withStore(kind, async ({ db }, database) => {
      const other = await openStore({ database, busyMs: 10_000 });
      const both = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? db : other.db));
      const call = { cost: 1, costRatio: 1, latencyMs: 10, explored: false, at: 5 };
      await Promise.all([
        ...both.map((one) => changeTally(one, key, 5, (before) => addCall(before, call, routePolicy))),
        ...both.map((one) => changeBreaker(one, "openai", (before) => addFailure(before, failure, 5, policy))),
      ]);
      expect(await listTallies(db)).toMatchObject([{ ...key, tries: 40, cost: 40, latencyMs: 400 }]);
      expect(await listBreakers(other.db)).toMatchObject([{ provider: "openai", failures: 40 }]);
      const keys = await Promise.all(both.map(readPlaceholderKey));
      expect(new Set(keys).size).toBe(1);
      await other.close();
    }));
});
