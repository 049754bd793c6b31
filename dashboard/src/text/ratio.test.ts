import { describe, expect, it } from "vitest";
import { placeOfRatio } from "./ratio.ts";

describe("placeOfRatio", () => {
  it("puts equality in the middle, and half and twice equally far from it", () => {
    expect(placeOfRatio(1)).toBe(0.5);
    expect(0.5 - placeOfRatio(0.5)).toBeCloseTo(placeOfRatio(2) - 0.5);
  });

  it("keeps every ratio on the line", () => {
    expect([0, -1, Number.POSITIVE_INFINITY].map(placeOfRatio)).toEqual([0, 0, 1]);
  });
});
