import { describe, expect, it } from "vitest";
import { scoreNeed, computeDeviations } from "./meaning-fit.ts";

const far = Array.from({ length: 40 }, (_, n) => 0.05 + (n % 5) * 0.02);
const near = far.map((one) => one + 0.3);
const isNeeded = (words: number, out: number | null, more: { here?: number; anywhere?: boolean; of?: boolean } = {}) =>
  scoreNeed({
    words,
    out,
    here: more.here ?? null,
    anywhere: more.anywhere ?? false,
    ofAnywhere: more.of ?? false,
    past: 60,
  }) >= 1;

describe("which memories a prompt needs", () => {
  it("is meant where it is much nearer than what is usually asked", () => {
    expect(isNeeded(0, computeDeviations(0.45, far))).toBe(true);
  });

  it("is not meant where everything is as near", () => {
    expect(isNeeded(0, computeDeviations(0.45, near))).toBe(false);
  });

  it("is not needed for one rare word where the meaning is another", () => {
    expect(isNeeded(1, computeDeviations(0.12, far))).toBe(false);
    expect(isNeeded(1, computeDeviations(0.4, far))).toBe(true);
  });

  it("is not needed for however many words where the meaning is far", () => {
    expect(isNeeded(10, -1)).toBe(false);
  });

  it("goes by words where there is no model", () => {
    expect(isNeeded(1, null)).toBe(true);
    expect(isNeeded(0.7, null)).toBe(false);
  });

  it("is needed less where the prompt is one of any project, by its direction or by its words", () => {
    expect(isNeeded(1, 3, { here: 0 })).toBe(true);
    expect(isNeeded(1, 3, { here: -1 })).toBe(false);
    expect(isNeeded(1, 3, { anywhere: true })).toBe(false);
    expect(isNeeded(1, null, { anywhere: true })).toBe(false);
  });

  it("is needed all the same where the memory is about what anybody asks", () => {
    expect(isNeeded(1, 4, { here: -1.5, anywhere: true })).toBe(false);
    expect(isNeeded(1, 5, { here: -1.5, anywhere: true, of: true })).toBe(true);
    expect(isNeeded(1.3, null, { anywhere: true, of: true })).toBe(true);
  });

  it("is not needed only because the prompt is about this project", () => {
    expect(isNeeded(0, 3, { here: 5 })).toBe(false);
  });

  it("goes by what is usual where nothing was asked before", () => {
    expect(computeDeviations(0.5, [])).toBeGreaterThan(4);
    expect(computeDeviations(0.15, [])).toBeLessThan(1);
  });
});
