import { describe, expect, it } from "vitest";
import { simulateFamilies, simulateProof } from "../../bench/proof-simulation.ts";

const days = 90;

describe("the proof, on rules whose true effect is known, looked at every day", () => {
  it.each([
    ["as they are", {}],
    ["found where chance had made attempts frequent", { attemptsBefore: 3 }],
    ["when attempts halve by themselves", { drift: 0.5 }],
  ])("without effect are called working, or harmful, at most once in twenty, ever: %s", (_, over) => {
    const [group] = simulateProof({ rules: 300, days, seed: 11, ratios: [1], ...over }).groups;
    expect(group?.ever.works).toBeLessThanOrEqual(0.05);
    expect(group?.ever.harmful).toBeLessThanOrEqual(0.05);
  });

  it("has intervals that hold the truth in at least 93 %, at the last look and where one stops at a verdict", () => {
    const { groups } = simulateProof({ rules: 280, days, seed: 12, ratios: [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2] });
    const mean = (of: (group: (typeof groups)[number]) => number) =>
      groups.reduce((sum, group) => sum + of(group) * group.rules, 0) / 280;
    expect(mean((group) => group.covered.last)).toBeGreaterThanOrEqual(0.93);
    expect(mean((group) => group.covered.stopped)).toBeGreaterThanOrEqual(0.93);
    expect(mean((group) => group.coveredAlways.every)).toBeGreaterThanOrEqual(0.93);
  });

  it("finds what works, what harms and what does nothing where there is much to see, and never the wrong way round", () => {
    const [strong, none, harm] = simulateProof({
      rules: 45,
      days: 120,
      seed: 13,
      ratios: [0.2, 1, 2],
      opportunitiesPerDay: [8, 15],
    }).groups;
    expect(strong?.ever.works).toBeGreaterThan(0.6);
    expect(strong?.ever.harmful).toBe(0);
    expect(strong?.ever["no effect"]).toBe(0);
    expect(harm?.ever.harmful).toBeGreaterThan(0.5);
    expect(harm?.ever.works).toBe(0);
    expect(none?.ever["no effect"]).toBeGreaterThan(0.1);
  });

  it("is as seldom wrong, either way, where opportunities are made of calls, and finds strong effects there", () => {
    const over = { rules: 120, days: 60, byCalls: true };
    const { judged: none } = simulateProof({ ...over, seed: 15, ratios: [1] });
    expect(none.falseWorks).toBeLessThanOrEqual(0.05);
    expect(none.falseHarmful).toBeLessThanOrEqual(0.05);
    const { judged: some, groups } = simulateProof({ ...over, seed: 16, ratios: [0.25, 2.5] });
    expect(some.covered).toBeGreaterThanOrEqual(0.93);
    expect(some.foundWorking).toBeGreaterThan(0.3);
    expect(some.foundHarmful).toBeGreaterThan(0.2);
    expect(groups.map((group) => group.ever["no effect"])).toEqual([0, 0]);
  });

  it("is sure of families of rare rules of which it is sure of none alone, and seldom wrong about them", () => {
    const [works, none] = simulateFamilies({
      families: 12,
      members: 12,
      days: 91,
      seed: 14,
      ratios: [0.25, 1],
      opportunitiesPerDay: [0.1, 1],
    });
    expect(works?.ever.works).toBeGreaterThan(0.8);
    expect(works?.decidedAlone).toBeLessThan(0.3);
    expect(none?.ever.works).toBeLessThanOrEqual(0.05);
  });

  it("gives the same numbers for the same seed", () => {
    const options = { rules: 20, days: 30, seed: 5, ratios: [0.5, 1] };
    expect(simulateProof(options)).toEqual(simulateProof(options));
    expect(simulateProof(options)).not.toEqual(simulateProof({ ...options, seed: 6 }));
  });
});
