import { describe, expect, it } from "vitest";
import { makeRandom } from "../../lib/random.ts";
import { chooseRoute } from "./choose.ts";
import { findFallen } from "./fall.ts";
import { routePolicy } from "./policy.ts";
import { addCall, addOutcome, newTally, removeOutcome, type Tally } from "./tally.ts";

const kind = { taskType: "triage", complexity: "moderate" } as const;
const prices: Readonly<Record<string, number>> = { sonnet: 0.0045, gpt: 0.003, gemini: 0.0035 };
const empty = newTally({ ...kind, model: "sonnet", attempt: "first" }, 0);

const judge = (tally: Tally, quality: number) => addOutcome(tally, { quality, verified: true, at: 0 }, routePolicy);

/** Plays tasks with a verdict on every call; returns the models that did them. */
function play(seed: number) {
  const random = makeRandom(seed);
  const tallies = new Map(
    Object.keys(prices).map((model) => [model, newTally({ ...kind, model, attempt: "first" }, 0)]),
  );
  return (count: number, success: Readonly<Record<string, number>>): readonly string[] =>
    Array.from({ length: count }, () => {
      const candidates = Object.entries(prices).map(([model, price]) => ({ model, price }));
      const route = chooseRoute(
        { ...kind, candidates, tallies: [...tallies.values()], now: 0, costWeight: 5, exploreMoney: 0.05 },
        routePolicy,
      );
      const model = route.model ?? "";
      const call = { cost: prices[model] ?? 0, costRatio: 1, latencyMs: 0, explored: route.explored, at: 0 };
      const called = addCall(tallies.get(model) as Tally, call, routePolicy);
      tallies.set(model, judge(called, random() < (success[model] ?? 0) ? 1 : 0));
      return model;
    });
}

describe("a favourite that gets worse", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("loses most of the tasks within fifteen, if it collapses (run %i)", (seed) => {
    const next = play(seed);
    const before = next(80, { sonnet: 0.92, gpt: 0.6, gemini: 0.6 }).slice(-30);
    expect(before.filter((model) => model === "sonnet").length).toBeGreaterThan(20);
    const after = next(45, { sonnet: 0.1, gpt: 0.6, gemini: 0.6 });
    expect(after.slice(0, 15).filter((model) => model === "sonnet").length).toBeLessThanOrEqual(10);
    expect(after.slice(15).filter((model) => model === "sonnet").length).toBeLessThan(15);
  });

  it("is named with what it did before and what it does now, until it does better again", () => {
    let tally = empty;
    for (let n = 0; n < 40; n++) tally = judge(tally, n % 10 === 0 ? 0 : 1);
    expect(findFallen([tally], 0, routePolicy)).toEqual([]);
    for (let n = 0; n < 10; n++) tally = judge(tally, 0);
    const [fallen] = findFallen([tally], 0, routePolicy);
    expect(fallen).toMatchObject({ model: "sonnet", taskType: "triage", complexity: "moderate" });
    expect(fallen?.from).toBeCloseTo(0.9, 1);
    expect(fallen?.to).toBeLessThan(0.2);
    for (let n = 0; n < 60; n++) tally = judge(tally, 1);
    expect(findFallen([tally], 0, routePolicy)).toEqual([]);
  });

  it("is not seen in a steady model: in 200 outcomes at most one time in five", () => {
    for (const share of [0.3, 0.6, 0.9]) {
      let falls = 0;
      for (let run = 0; run < 100; run++) {
        const random = makeRandom(run + 1);
        let tally = empty;
        for (let n = 0; n < 200; n++) tally = judge(tally, random() < share ? 1 : 0);
        if (tally.fellAt !== null) falls++;
      }
      expect(falls, `at ${share}`).toBeLessThanOrEqual(20);
    }
  });

  it("is not seen in one call that is judged again and again", () => {
    let tally = empty;
    for (let n = 0; n < 40; n++) tally = judge(tally, 1);
    for (let n = 0; n < 20; n++) {
      tally = judge(tally, 0);
      tally = removeOutcome(tally, { quality: 0, verified: true, at: 0 }, 0, routePolicy);
    }
    expect(tally.fellAt).toBeNull();
  });

  it("is not seen in failures of its provider", () => {
    let tally = empty;
    for (let n = 0; n < 40; n++) tally = judge(tally, 1);
    for (let n = 0; n < 40; n++) tally = addOutcome(tally, { quality: 0, verified: false, at: 0 }, routePolicy);
    expect(tally.fellAt).toBeNull();
  });
});
