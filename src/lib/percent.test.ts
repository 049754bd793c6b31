import { describe, expect, it } from "vitest";
import { formatAtLeastPercent } from "../../dashboard/src/text/count.ts";
import { atLeastPercent, percent } from "./percent.ts";

describe("a share in percent", () => {
  it("is rounded to the nearest", () => {
    expect([0, 0.234, 0.236, 1].map(percent)).toEqual(["0 %", "23 %", "24 %", "100 %"]);
  });

  it("is rounded down where it is a lower bound, the same in commands and on the dashboard", () => {
    const shares = [0, 0.236, 0.29, 0.57, 0.6999, 0.7, 1];
    expect(shares.map(atLeastPercent)).toEqual(["0 %", "23 %", "29 %", "57 %", "69 %", "70 %", "100 %"]);
    expect(shares.map(formatAtLeastPercent)).toEqual(shares.map(atLeastPercent));
  });
});
