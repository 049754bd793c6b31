import { describe, expect, it } from "vitest";
import { MODEL, WEIGHTS } from "./locality-weights.ts";
import { scoreLocality } from "./locality.ts";

const along = new Int8Array(Buffer.from(WEIGHTS, "base64"));

describe("how far a prompt asks for what only this project knows", () => {
  it("is told by its direction, whatever the length", () => {
    const against = along.map((value) => -value);
    const half = along.map((value) => Math.trunc(value / 2));
    expect(scoreLocality(MODEL, along)).toBeGreaterThan(1);
    expect(scoreLocality(MODEL, against)).toBeLessThan(-1);
    expect(scoreLocality(MODEL, half)).toBeCloseTo(scoreLocality(MODEL, along) ?? 0, 1);
  });

  it("is not known of another model, nor of a vector of another length", () => {
    expect(scoreLocality("another", along)).toBeNull();
    expect(scoreLocality(MODEL, along.slice(1))).toBeNull();
  });
});
