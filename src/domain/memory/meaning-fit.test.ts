import { describe, expect, it } from "vitest";
import { needOf, standsOut } from "./meaning-fit.ts";

const far = Array.from({ length: 40 }, (_, n) => 0.05 + (n % 5) * 0.02);
const near = far.map((one) => one + 0.3);
const isNeeded = (words: number, out: number | null) => needOf(words, out) >= 1;

describe("which memories a prompt needs", () => {
  it("is meant where it is much nearer than what is usually asked", () => {
    expect(isNeeded(0, standsOut(0.45, far))).toBe(true);
  });

  it("is not meant where everything is as near", () => {
    expect(isNeeded(0, standsOut(0.45, near))).toBe(false);
  });

  it("is not needed for one rare word where the meaning is another", () => {
    expect(isNeeded(1, standsOut(0.12, far))).toBe(false);
    expect(isNeeded(1, standsOut(0.4, far))).toBe(true);
  });

  it("is not needed for however many words where the meaning is far", () => {
    expect(isNeeded(10, -1)).toBe(false);
  });

  it("goes by words where there is no model", () => {
    expect(isNeeded(1, null)).toBe(true);
    expect(isNeeded(0.7, null)).toBe(false);
  });

  it("goes by what is usual where nothing was asked before", () => {
    expect(standsOut(0.5, [])).toBeGreaterThan(4);
    expect(standsOut(0.15, [])).toBeLessThan(1);
  });
});
