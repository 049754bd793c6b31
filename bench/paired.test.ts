import { describe, expect, it } from "vitest";
import { computePairedDifference } from "./paired.ts";

describe("a difference between two that were asked the same questions", () => {
  it("has an interval above nothing where one is better at nearly every question", () => {
    const better = Array.from({ length: 200 }, () => 1);
    const worse = Array.from({ length: 200 }, (_, at) => (at % 4 === 0 ? 0 : 1));
    const found = computePairedDifference(better, worse);
    expect(found.points).toBe(25);
    expect(found.low).toBeGreaterThan(18);
    expect(found.high).toBeLessThan(32);
    expect(computePairedDifference(worse, better)).toMatchObject({ points: -25 });
    expect(computePairedDifference(worse, better).high).toBeLessThan(0);
  });

  it("is nothing, without any doubt, where both found the same, however much they missed", () => {
    const same = Array.from({ length: 50 }, (_, at) => at % 2);
    expect(computePairedDifference(same, same)).toEqual({ points: 0, low: 0, high: 0 });
  });

  it("takes in nothing where as many were lost as won", () => {
    const one = Array.from({ length: 100 }, (_, at) => at % 2);
    const { points, low, high } = computePairedDifference(
      one,
      one.map((value) => 1 - value),
    );
    expect(points).toBe(0);
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(0);
  });
});
