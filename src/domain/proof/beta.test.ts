import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { betaCdf, betaQuantile } from "./beta.ts";

describe("the Beta distribution", () => {
  it.each([
    [0.5, 2, 3, 0.6875],
    [0.3, 1, 1, 0.3],
    [0.1, 0.5, 0.5, (2 / Math.PI) * Math.asin(Math.sqrt(0.1))],
    [0.2, 1, 5, 1 - 0.8 ** 5],
    [0.9, 7, 1, 0.9 ** 7],
    [0.5, 300, 300, 0.5],
  ])("has below %d, with %d and %d, what is known exactly", (x, a, b, expected) => {
    expect(betaCdf(x, a, b)).toBeCloseTo(expected, 10);
  });

  it("has quantiles that lead back to their shares", () => {
    const some = fc.double({ min: 0.5, max: 500, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), some, some, (q, a, b) => {
        const x = betaQuantile(q, a, b);
        return x >= 0 && x <= 1 && Math.abs(betaCdf(x, a, b) - q) < 1e-6;
      }),
    );
  });
});
