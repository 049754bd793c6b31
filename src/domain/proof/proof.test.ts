import { describe, expect, it } from "vitest";
import { correlation, effective, newTally, addTo } from "./clusters.ts";
import { defaultPolicy } from "../policy.ts";
import { prove, type ProofSession, savings } from "./proof.ts";
import type { Arm } from "./wager.ts";

const policy = defaultPolicy.distil;

/** Sessions of two opportunities each; every so many of them attempt both, so calls of a session are alike. */
function sessions(arm: Arm, count: number, attempted: number): readonly ProofSession[] {
  const every = attempted === 0 ? Infinity : count / attempted;
  let due = every / 2;
  return Array.from({ length: count }, (_, at) => {
    if (at < due) return { arm, opportunities: 2, attempts: 0 };
    due += every;
    return { arm, opportunities: 2, attempts: 2 };
  });
}

/** As they come: one session in ten held out. */
function since(count: number, attempted: number, attemptedWithout: number): readonly ProofSession[] {
  const heldOut = sessions("held-out", count / 10, attemptedWithout);
  const treated = sessions("treated", count - count / 10, attempted);
  return heldOut.flatMap((control, at) => [...treated.slice(at * 9, at * 9 + 9), control]);
}

const lot = { oneIn: 10 };

describe("the proof of a rule", () => {
  it("says that it works where attempts went down against sessions without it, with the numbers", () => {
    const proof = prove([...sessions("before", 60, 30), ...since(100, 4, 5)], lot, policy);
    expect(proof.verdict).toBe("works");
    expect(proof.effect?.high).toBeLessThan(1);
    expect(proof.effect?.against).toBe("both");
    expect(proof.evidence.works).toBeGreaterThan(20);
    expect(proof.reason).toMatch(
      /^the attempts went down: 4 % of 180 opportunities with it, 50 % of 120 opportunities before it, 50 % of 20 opportunities in its control group \(\d+ % fewer to \d+ % fewer\)$/,
    );
    expect(proof.arms).toMatchObject({ treated: { sessions: 90, opportunities: 180, attempts: 8 } });
    expect(proof.heldOut?.ratio).toBeLessThan(1);
    expect(proof.beforeAfter?.ratio).toBeLessThan(1);
  });

  it("works without a hold-out too, against the time before", () => {
    const proof = prove([...sessions("before", 60, 30), ...sessions("treated", 60, 1)], { oneIn: null }, policy);
    expect(proof).toMatchObject({ verdict: "works", effect: { against: "before" }, heldOut: null });
    expect(proof.reason).toContain("before it");
  });

  it("does not take the times for the rule: when held-out sessions fell as well, it has not worked", () => {
    const proof = prove([...sessions("before", 60, 40), ...since(200, 12, 1)], lot, policy);
    expect(proof.verdict).not.toBe("works");
  });

  it("says that it harms where attempts rose", () => {
    const proof = prove([...sessions("before", 60, 9), ...since(100, 60, 1)], lot, policy);
    expect(proof.verdict).toBe("harmful");
    expect(proof.reason).toContain("went up");
  });

  it("says that it harms where more calls fail in sessions that have it, though attempts did not rise", () => {
    const failing = (failures: (arm: Arm) => number) =>
      [...sessions("before", 60, 20), ...since(300, 90, 10)].map((one) => ({ ...one, failures: failures(one.arm) }));
    const harmed = prove(
      failing((arm) => (arm === "treated" ? 6 : 1)),
      lot,
      policy,
    );
    expect(harmed).toMatchObject({
      verdict: "harmful",
      reason: expect.stringMatching(/^more calls of all kinds fail/),
    });
    expect(
      prove(
        failing(() => 3),
        lot,
        policy,
      ).verdict,
    ).not.toBe("harmful");
  });

  it("finds no effect only where the change is surely small, not where little is known", () => {
    const much = prove([...sessions("before", 2_000, 800), ...since(2_000, 720, 80)], lot, policy);
    expect(much.verdict).toBe("no effect");
    expect(much.reason).toMatch(/^whatever it changes is less than 30 %: 40 % of /);
    expect(much.always?.low).toBeGreaterThan(0.7);
    expect(much.always?.high).toBeLessThan(1 / 0.7);
    const little = prove([...sessions("before", 20, 8), ...since(20, 8, 1)], lot, policy);
    expect(little.verdict).toBe("not enough data");
    expect(little.reason).toMatch(
      /^44 % of 36 opportunities with it, .* \(\d+ % fewer to .* more\), which is not sure enough yet$/,
    );
  });

  it("has nothing to say without something to compare with", () => {
    expect(prove([], lot, policy)).toMatchObject({ verdict: "not enough data", effect: null, always: null });
    expect(prove(sessions("treated", 50, 5), lot, policy)).toMatchObject({
      verdict: "not enough data",
      reason: "100 opportunities with it, and none without it to compare with",
    });
  });

  it("is stricter with a smaller allowed error, and calls a wider region nothing", () => {
    const told = [...sessions("before", 40, 20), ...since(40, 3, 2)];
    expect(prove(told, lot, policy).verdict).toBe("works");
    expect(prove(told, lot, { ...policy, proofError: 0.0001 }).verdict).toBe("not enough data");
    const same = [...sessions("before", 100, 40), ...since(100, 36, 4)];
    expect(prove(same, lot, policy).verdict).toBe("not enough data");
    expect(prove(same, lot, { ...policy, noEffectWithin: 0.6 }).verdict).toBe("no effect");
  });

  it("trusts calls of one session less when they are alike", () => {
    const alike = newTally();
    const unlike = newTally();
    for (let at = 0; at < 200; at++) {
      addTo(alike, { opportunities: 4, attempts: at % 2 === 0 ? 4 : 0 });
      addTo(unlike, { opportunities: 4, attempts: 2 });
    }
    expect(correlation([alike])).toBeGreaterThan(0.9);
    expect(correlation([unlike])).toBe(0);
    expect(effective(alike, correlation([alike])).hits).toBeLessThan(150);
    expect(effective(unlike, 0).hits).toBe(400);
  });
});

describe("a mistake that is never made again", () => {
  it("is proof that the rule works, also where no session does without it", () => {
    const sessions = (arm: ProofSession["arm"], attempts: number) =>
      Array.from({ length: 25 }, () => ({ arm, opportunities: 8, attempts }));
    const proof = prove([...sessions("before", 5), ...sessions("treated", 0)], { oneIn: null }, defaultPolicy.distil);
    expect(proof.verdict).toBe("works");
  });
});

describe("what a rule saved", () => {
  const proven = prove([...sessions("before", 60, 30), ...since(100, 4, 5)], lot, policy);

  it("is what was not attempted, at what an attempt costs, with an interval", () => {
    const saved = savings(proven, 3);
    if (saved.kind !== "saved" || proven.effect === null) throw new Error("it was proven");
    expect(saved.attempts).toBeCloseTo(180 * proven.effect.without * (1 - proven.effect.ratio), 6);
    expect(saved.cost).toBeCloseTo(3 * saved.attempts, 6);
    expect(saved.low).toBeGreaterThan(0);
    expect(saved.low).toBeLessThan(saved.cost);
    expect(saved.high).toBeGreaterThan(saved.cost);
  });

  it.each(["no effect", "harmful", "not enough data"] as const)(
    "is unknown of a rule with the verdict %s",
    (verdict) => {
      expect(savings({ ...proven, verdict }, 3)).toEqual({ kind: "unproven" });
    },
  );
});
