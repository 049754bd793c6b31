import { describe, expect, it } from "vitest";
import { isMostlyWrong } from "./mostly-wrong.ts";

const of = (hits: number, calls: number) => ({ hits, falseAlarms: calls - hits, sessions: hits });

describe("a rule that is mostly wrong", () => {
  it("has at least five calls, more of which worked than failed", () => {
    expect(isMostlyWrong(of(4, 12), null)).toBe(true);
    expect(isMostlyWrong(of(2, 5), null)).toBe(true);
    expect(isMostlyWrong(of(1, 4), null)).toBe(false);
    expect(isMostlyWrong(of(6, 12), null)).toBe(false);
  });

  it("is asked about again only when it got worse by a fifth since its owner answered", () => {
    expect(isMostlyWrong(of(4, 12), of(4, 4))).toBe(true);
    expect(isMostlyWrong(of(4, 12), of(4, 12))).toBe(false);
    expect(isMostlyWrong(of(4, 14), of(4, 12))).toBe(false);
    expect(isMostlyWrong(of(4, 16), of(4, 12))).toBe(true);
    expect(isMostlyWrong(of(0, 30), of(0, 12))).toBe(false);
  });
});
