import { describe, expect, it } from "vitest";
import { computeRatioPosition } from "./ratio.ts";

describe("placeOfRatio", () => {
  it("puts equality in the middle, and half and twice equally far from it", () => {
    expect(computeRatioPosition(1)).toBe(0.5);
    expect(0.5 - computeRatioPosition(0.5)).toBeCloseTo(computeRatioPosition(2) - 0.5);
  });

  it("keeps every ratio on the line", () => {
    expect([0, -1, Number.POSITIVE_INFINITY].map(computeRatioPosition)).toEqual([0, 0, 1]);
  });
});
