import { describe, expect, it } from "vitest";
import type { Route, RouteRequest, WeighedModel } from "./choose.ts";
import { explainRoute } from "./explain.ts";

const model = (name: string, quality: number, inPool: boolean): WeighedModel => ({
  ...{ model: name, price: 0.01, priceKnown: true, quality, low: 0, high: 1, outcomes: 3, judged: 3, cost: 0.01 },
  ...{ latencyMs: null, switchCost: 0, rescue: 0, utility: quality, variance: 0, weight: 1, inPool, worth: 0 },
});

function decisionWith(quality: number, other: number): string | undefined {
  const weighed = [model("a/good", quality, true), model("a/other", other, false)];
  const route: Route = { model: "a/good", attempt: "first", explored: false, best: "a/good", exploreLeft: 0, weighed };
  const request: RouteRequest = {
    ...{ taskType: "chat", complexity: "moderate", candidates: [], tallies: [], now: 0, costWeight: 1 },
  };
  return explainRoute(route, request)[0];
}

describe("why a model is chosen that is compared with no other", () => {
  it("does not say that others may do better if none is expected to", () => {
    expect(decisionWith(0.8, 0.6)).toBe(
      "a/good is chosen: none of the others is expected to do better, or costs so much less that it makes up for it.",
    );
    expect(decisionWith(0.6, 0.8)).toBe("a/good is chosen: the others cost too much for what they may do better.");
  });
});
