import { describe, expect, it } from "vitest";
import { formatDay, pickLabels, roundUp } from "./day-scale.ts";

describe("the end of an axis", () => {
  it("is a round number at or above the largest value, with a whole half", () => {
    expect([0, 1, 2, 3, 7, 13, 45, 99, 100, 230, 1_204].map((most) => roundUp(most))).toEqual([
      2, 2, 2, 4, 10, 20, 50, 100, 100, 400, 2_000,
    ]);
    for (let most = 0; most < 5_000; most += 7) {
      expect(roundUp(most)).toBeGreaterThanOrEqual(most);
      expect(roundUp(most) % 2).toBe(0);
    }
  });
});

describe("the days that are named under the axis", () => {
  it("are all of a few, and some of many, always the last", () => {
    expect(pickLabels(0, 4)).toEqual([]);
    expect(pickLabels(3, 4)).toEqual([0, 1, 2]);
    expect(pickLabels(14, 4)).toEqual([3, 8, 13]);
    for (const count of [5, 14, 31, 90, 365]) {
      const picked = pickLabels(count, 4);
      expect(picked.at(-1)).toBe(count - 1);
      expect(picked.length).toBeLessThanOrEqual(4);
    }
  });
});

describe("a day", () => {
  it("is short under the axis, and says the year only where it is another", () => {
    expect(formatDay("2026-11-17", { thisYear: 2026 })).toBe("17 Nov");
    expect(formatDay("2026-11-17", { long: true, thisYear: 2026 })).toBe("Tue 17 Nov");
    expect(formatDay("2025-11-17", { long: true, thisYear: 2026 })).toContain("2025");
  });
});
