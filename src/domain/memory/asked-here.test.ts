import { describe, expect, it } from "vitest";
import { MODEL, WEIGHTS } from "./asked-here-weights.ts";
import { askedHere } from "./asked-here.ts";

const along = new Int8Array(Buffer.from(WEIGHTS, "base64"));

describe("how far a prompt asks for what only this project knows", () => {
  it("is told by its direction, whatever the length", () => {
    const against = along.map((value) => -value);
    const half = along.map((value) => Math.trunc(value / 2));
    expect(askedHere(MODEL, along)).toBeGreaterThan(1);
    expect(askedHere(MODEL, against)).toBeLessThan(-1);
    expect(askedHere(MODEL, half)).toBeCloseTo(askedHere(MODEL, along) ?? 0, 1);
  });

  it("is not known of another model, nor of a vector of another length", () => {
    expect(askedHere("another", along)).toBeNull();
    expect(askedHere(MODEL, along.slice(1))).toBeNull();
  });
});
