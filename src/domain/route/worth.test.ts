import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routePolicy } from "./policy.ts";
import { expectedGain, worthOfTrying } from "./worth.ts";

describe("what trying a model is worth", () => {
  it.each([
    [0, 1, 0.398942],
    [1, 1, 0.083315],
    [-1, 1, 1.083315],
    [2, 0.5, 0.0000035726],
    [0.3, 0, 0],
  ])("is what a normal number has above a bar at %d with deviation %d: %d", (bar, deviation, expected) => {
    expect(expectedGain(bar, deviation)).toBeCloseTo(expected, 5);
  });

  it("grows with doubt, and shrinks with evidence and with how far a model is behind", () => {
    const share = fc.double({ min: 0.001, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, share, (behind, variance, more) => {
        const worth = worthOfTrying({ behind, variance, weight: 10 }, routePolicy);
        const slack = 1e-6;
        expect(worthOfTrying({ behind, variance: variance + more, weight: 10 }, routePolicy)).toBeGreaterThanOrEqual(
          worth - slack,
        );
        expect(worthOfTrying({ behind, variance, weight: 10 + 100 * more }, routePolicy)).toBeLessThanOrEqual(
          worth + slack,
        );
        expect(worthOfTrying({ behind: behind + more, variance, weight: 10 }, routePolicy)).toBeLessThanOrEqual(
          worth + slack,
        );
      }),
    );
  });
});
