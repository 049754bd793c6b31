import { describe, expect, it } from "vitest";
import { isNeeded, standsOut } from "./meaning-fit.ts";

const far = Array.from({ length: 40 }, (_, n) => 0.05 + (n % 5) * 0.02);
const near = far.map((one) => one + 0.3);

describe("which memories a prompt means", () => {
  it("is meant where it is much nearer than what is usually asked", () => {
    expect(isNeeded(0, { near: 0.45, out: standsOut(0.45, far) })).toBe(true);
  });

  it("is not meant where everything is as near", () => {
    expect(isNeeded(0, { near: 0.45, out: standsOut(0.45, near) })).toBe(false);
  });

  it("is not needed for one rare word where the meaning is another", () => {
    expect(isNeeded(1.1, { near: 0.3, out: standsOut(0.12, far) })).toBe(false);
    expect(isNeeded(1.1, { near: 0.4, out: standsOut(0.4, far) })).toBe(true);
  });

  it("is needed for words that leave no doubt, whatever the meaning", () => {
    expect(isNeeded(2, { near: 0.05, out: 0 })).toBe(true);
  });

  it("goes by what is usual where nothing was asked before", () => {
    expect(standsOut(0.5, [])).toBeGreaterThan(4);
    expect(standsOut(0.15, [])).toBeLessThan(1);
  });
});
