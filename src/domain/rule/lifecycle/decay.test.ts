import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY } from "../../../lib/clock.ts";
import { type AgeingRule, decayRule, decayPerDay, reviveRule } from "./decay.ts";
import { defaultPolicy } from "../../policy.ts";

const policy = defaultPolicy.distil;
const rule = (over: Partial<AgeingRule> = {}): AgeingRule => ({
  status: "approved",
  confidence: 0.9,
  pinned: false,
  isOwners: false,
  observations: 0,
  lastSeen: 0,
  ...over,
});
const on = (day: number, sweptAt: number | null = null) => ({ now: day * DAY, sweptAt });

describe("decay", () => {
  it("is 0.02 a day, and half as fast with 10 observations", () => {
    expect(decayPerDay(0, policy)).toBeCloseTo(0.02, 12);
    expect(decayPerDay(10, policy)).toBeCloseTo(0.01, 12);
    expect(decayPerDay(90, policy)).toBeCloseTo(0.002, 12);
  });

  it("begins after 60 days unseen", () => {
    expect(decayRule(rule(), on(59.9), policy).kind).toBe("unchanged");
    expect(decayRule(rule(), on(70), policy)).toHaveProperty("confidence", expect.closeTo(0.9 - 10 * 0.02, 10));
  });

  it("makes a rule dormant at 60 days and retires it at 180", () => {
    expect(decayRule(rule(), on(60), policy)).toMatchObject({ status: "dormant" });
    expect(decayRule(rule({ status: "dormant" }), on(179.9), policy)).toMatchObject({ status: "dormant" });
    expect(decayRule(rule({ status: "dormant" }), on(180), policy)).toMatchObject({ status: "retired" });
    expect(decayRule(rule(), on(200), policy)).toMatchObject({ status: "retired" });
  });

  it("lets a candidate wait, and retires it at 180 days", () => {
    expect(decayRule(rule({ status: "candidate" }), on(100), policy)).toMatchObject({ status: "candidate" });
    expect(decayRule(rule({ status: "candidate" }), on(180), policy)).toMatchObject({ status: "retired" });
  });

  it("starts anew when the rule is seen", () => {
    expect(decayRule(rule({ lastSeen: 50 * DAY }), on(100), policy).kind).toBe("unchanged");
    expect(decayRule(rule({ lastSeen: 50 * DAY }), on(110), policy)).toMatchObject({ status: "dormant" });
  });

  it("passes over what is the owner's, however long it was not met", () => {
    expect(decayRule(rule({ isOwners: true }), on(5_000), policy)).toEqual({
      kind: "unchanged",
      reason: "the owner's",
    });
  });

  it("passes over what is pinned, and what is out of force for good", () => {
    expect(decayRule(rule({ pinned: true }), on(500), policy)).toEqual({ kind: "unchanged", reason: "pinned" });
    for (const status of ["retired", "rejected", "merged"] as const)
      expect(decayRule(rule({ status }), on(500), policy).kind).toBe("unchanged");
  });

  it("comes to the same at whatever days it is swept", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 170 }), { maxLength: 20 }), (days) => {
        let state = rule({ observations: 5 });
        let sweptAt: number | null = null;
        for (const day of [...days.toSorted((a, b) => a - b), 171]) {
          const result = decayRule(state, on(day, sweptAt), policy);
          if (result.kind === "faded") state = { ...state, confidence: result.confidence, status: result.status };
          sweptAt = day * DAY;
        }
        const atOnce = decayRule(rule({ observations: 5 }), on(171), policy);
        return atOnce.kind === "faded" && Math.abs(atOnce.confidence - state.confidence) < 1e-9;
      }),
    );
  });

  it("brings a dormant rule back with its pattern; one of which little is left must prove itself anew", () => {
    const mined = { status: "dormant", confidence: 0.5, isOwners: false } as const;
    expect(reviveRule(mined, policy)).toMatchObject({ status: "approved" });
    expect(reviveRule({ ...mined, confidence: 0.29 }, policy)).toMatchObject({ status: "candidate" });
    expect(reviveRule({ ...mined, status: "retired" }, policy)).toBeNull();
  });

  it("brings a dormant rule of the owner's back, whatever its confidence: it should not have faded", () => {
    expect(reviveRule({ status: "dormant", confidence: 0.1, isOwners: true }, policy)).toEqual({
      status: "approved",
      reason: "rules of the owner do not decay",
    });
  });
});
