import { describe, expect, it } from "vitest";
import { correlation, effectiveCounts, newArmTally, addSession } from "./clusters.ts";
import { defaultPolicy } from "../policy.ts";
import { betaQuantile } from "./beta.ts";
import { anytimeReach, proveRule, type ProofSession, newRunningProof, computeSavings } from "./proof.ts";
import type { Arm } from "./e-process.ts";

const policy = defaultPolicy.distil;

/** Sessions with two opportunities each. A share of them attempts both, so calls of a session are correlated. */
function sessions(arm: Arm, count: number, attempted: number): readonly ProofSession[] {
  const every = attempted === 0 ? Infinity : count / attempted;
  let due = every / 2;
  return Array.from({ length: count }, (_, at) => {
    if (at < due) return { arm, opportunities: 2, attempts: 0 };
    due += every;
    return { arm, opportunities: 2, attempts: 2 };
  });
}

/** In order of time, with one session in ten held out. */
function since(count: number, attempted: number, attemptedWithout: number): readonly ProofSession[] {
  const heldOut = sessions("held-out", count / 10, attemptedWithout);
  const treated = sessions("treated", count - count / 10, attempted);
  return heldOut.flatMap((control, at) => [...treated.slice(at * 9, at * 9 + 9), control]);
}

const lot = { oneIn: 10 };

describe("the proof of a rule", () => {
  it("says that it works where mistakes went down against sessions without it, with the numbers", () => {
    const proof = proveRule([...sessions("before", 60, 30), ...since(100, 4, 5)], lot, policy);
    expect(proof.verdict).toBe("works");
    expect(proof.effect?.high).toBeLessThan(1);
    expect(proof.effect?.against).toBe("both");
    expect(proof.evidence.works).toBeGreaterThan(20);
    expect(proof.reason).toMatch(
      /^mistakes went down: 4 % of 180 chances with it, 50 % of 120 chances before it, 50 % of 20 chances in its control group \(\d+ % to \d+ % fewer\)$/,
    );
    expect(proof.arms).toMatchObject({ treated: { sessions: 90, opportunities: 180, attempts: 8 } });
    expect(proof.heldOut?.ratio).toBeLessThan(1);
    expect(proof.beforeAfter?.ratio).toBeLessThan(1);
  });

  it("works without a hold-out too, against the time before", () => {
    const proof = proveRule([...sessions("before", 60, 30), ...sessions("treated", 60, 1)], { oneIn: null }, policy);
    expect(proof).toMatchObject({ verdict: "works", effect: { against: "before" }, heldOut: null });
    expect(proof.reason).toContain("before it");
  });

  it("does not take the times for the rule: when held-out sessions fell as well, it has not worked", () => {
    const proof = proveRule([...sessions("before", 60, 40), ...since(200, 12, 1)], lot, policy);
    expect(proof.verdict).not.toBe("works");
  });

  it("says that it harms where attempts rose", () => {
    const proof = proveRule([...sessions("before", 60, 9), ...since(100, 60, 1)], lot, policy);
    expect(proof.verdict).toBe("harmful");
    expect(proof.reason).toContain("went up");
  });

  it("says that it harms where more calls fail in sessions that have it, though attempts did not rise", () => {
    const failing = (failures: (arm: Arm) => number) =>
      [...sessions("before", 60, 20), ...since(300, 90, 10)].map((one) => ({ ...one, failures: failures(one.arm) }));
    const harmed = proveRule(
      failing((arm) => (arm === "treated" ? 6 : 1)),
      lot,
      policy,
    );
    expect(harmed).toMatchObject({
      verdict: "harmful",
      reason: expect.stringMatching(/^more calls of all kinds fail/),
    });
    expect(
      proveRule(
        failing(() => 3),
        lot,
        policy,
      ).verdict,
    ).not.toBe("harmful");
  });

  it("finds no effect only where the change is surely small, not where little is known", () => {
    const much = proveRule([...sessions("before", 2_000, 800), ...since(2_000, 720, 80)], lot, policy);
    expect(much.verdict).toBe("no effect");
    expect(much.reason).toMatch(/^its effect is less than 30 %: 40 % of /);
    expect(much.always?.low).toBeGreaterThan(0.7);
    expect(much.always?.high).toBeLessThan(1 / 0.7);
    const little = proveRule([...sessions("before", 20, 8), ...since(20, 8, 1)], lot, policy);
    expect(little.verdict).toBe("not enough data");
    expect(little.reason).toMatch(
      /^too early to say whether it helps: the mistake was made in 16 of 36 chances with it, in 16 of 40 before it, in \d+ of \d+ in its control group \(retries of one call are one chance\)$/,
    );
  });

  it("has nothing to say without something to compare with", () => {
    expect(proveRule([], lot, policy)).toMatchObject({ verdict: "not enough data", effect: null, always: null });
    expect(proveRule(sessions("treated", 50, 5), lot, policy)).toMatchObject({
      verdict: "not enough data",
      reason: "100 chances with it, and none without it to compare",
    });
  });

  it("is stricter with a smaller allowed error, and calls a wider region nothing", () => {
    const allSessions = [...sessions("before", 40, 20), ...since(40, 3, 2)];
    expect(proveRule(allSessions, lot, policy).verdict).toBe("works");
    expect(proveRule(allSessions, lot, { ...policy, proofError: 0.0001 }).verdict).toBe("not enough data");
    const same = [...sessions("before", 100, 40), ...since(100, 36, 4)];
    expect(proveRule(same, lot, policy).verdict).toBe("not enough data");
    expect(proveRule(same, lot, { ...policy, noEffectWithin: 0.6 }).verdict).toBe("no effect");
  });

  it("trusts calls of one session less when they are alike", () => {
    const alike = newArmTally();
    const unlike = newArmTally();
    for (let at = 0; at < 200; at++) {
      addSession(alike, { opportunities: 4, attempts: at % 2 === 0 ? 4 : 0 });
      addSession(unlike, { opportunities: 4, attempts: 2 });
    }
    expect(correlation([alike])).toBeGreaterThan(0.9);
    expect(correlation([unlike])).toBe(0);
    expect(effectiveCounts(alike, correlation([alike])).hits).toBeLessThan(150);
    expect(effectiveCounts(unlike, 0).hits).toBe(400);
  });
});

describe("the numbers of a proof", () => {
  /** Sessions with ten opportunities and equal attempts, so calls of a session are not correlated. */
  const even = (arm: Arm, count: number, attempts: number): readonly ProofSession[] =>
    Array.from({ length: count }, () => ({ arm, opportunities: 10, attempts }));
  const all = [...even("before", 20, 6), ...even("treated", 20, 3), ...even("held-out", 5, 5)];
  const proof = proveRule(all, lot, policy);
  const quantile = (attempts: number, opportunities: number) => (q: number) =>
    Math.log(betaQuantile(q, attempts + 0.5, opportunities - attempts + 0.5));
  const spread = (attempts: number, opportunities: number) => 1 / (attempts + 0.5) - 1 / (opportunities + 1);

  it.each([
    ["held-out", proof.heldOut, quantile(25, 50)],
    ["before", proof.beforeAfter, quantile(120, 200)],
  ] as const)("compare with %s alone by the intervals of both shares", (against, effect, without) => {
    const treated = quantile(60, 200);
    const middle = treated(0.5) - without(0.5);
    const below = Math.hypot(treated(0.5) - treated(0.025), without(0.975) - without(0.5));
    const above = Math.hypot(treated(0.975) - treated(0.5), without(0.5) - without(0.025));
    expect(effect?.against).toBe(against);
    expect(effect?.ratio).toBeCloseTo(Math.exp(middle), 9);
    expect(effect?.low).toBeCloseTo(Math.exp(middle - below), 9);
    expect(effect?.high).toBeCloseTo(Math.exp(middle + above), 9);
    expect(effect?.with).toBeCloseTo(Math.exp(treated(0.5)), 9);
    expect(effect?.without).toBeCloseTo(Math.exp(without(0.5)), 9);
  });

  it("hold at every look by Robbins' mixture, a prior of 0.6 on the log ratio", () => {
    const information = 1 / 0.04;
    const all = information + 1 / 0.36;
    expect(anytimeReach(0.04, 0.05)).toBeCloseTo(
      Math.sqrt((all / information ** 2) * Math.log((all * 0.36) / 0.0025)),
      9,
    );
    expect(anytimeReach(0.01, 0.05)).toBeLessThan(anytimeReach(0.04, 0.05));
    expect(anytimeReach(0.04, 0.01)).toBeGreaterThan(anytimeReach(0.04, 0.05));
  });

  const always = (attempts: number, opportunities: number) => {
    const middle = Math.log(60.5 / 201 / ((attempts + 0.5) / (opportunities + 1)));
    const reach = anytimeReach(spread(60, 200) + spread(attempts, opportunities), policy.proofError);
    return { low: Math.exp(middle - reach), high: Math.exp(middle + reach) };
  };

  it("count the sessions before and those held out together where they agree, and otherwise the held-out alone", () => {
    const close = (found: typeof proof.always, wanted: ReturnType<typeof always>) => {
      expect(found?.low).toBeCloseTo(wanted.low, 2);
      expect(found?.high).toBeCloseTo(wanted.high, 2);
    };
    close(proof.always, always(145, 250));
    close(
      proveRule(
        all.filter(({ arm }) => arm !== "held-out"),
        lot,
        policy,
      ).always,
      always(120, 200),
    );
    close(proveRule([...all.slice(0, 40), ...even("held-out", 10, 1)], lot, policy).always, always(10, 100));
  });

  it("are none before ten opportunities on either side", () => {
    const one = (arm: Arm, opportunities: number): ProofSession => ({ arm, opportunities, attempts: 1 });
    const isThere = (...found: readonly ProofSession[]) => proveRule(found, lot, policy).always !== null;
    expect(isThere(one("before", 10), one("treated", 10))).toBe(true);
    expect(isThere(one("before", 9), one("treated", 100))).toBe(false);
    expect(isThere(one("before", 100), one("treated", 9))).toBe(false);
  });

  it("are the same, told one session at a time", () => {
    const running = newRunningProof(lot, policy);
    for (const session of all) running.add(session);
    expect(running.always()).toEqual(proof.always);
    expect(running.verdict()).toBe(proof.verdict);
    expect(running.conclude()).toEqual(proof);
  });

  it("say against what they compare", () => {
    const against = (...arms: readonly Arm[]) =>
      proveRule(
        all.filter(({ arm }) => arm === "treated" || arms.includes(arm)),
        lot,
        policy,
      ).effect?.against;
    expect(against("before")).toBe("before");
    expect(against("held-out")).toBe("held-out");
    expect(against("before", "held-out")).toBe("both");
    expect(against()).toBeUndefined();
    expect(proveRule(even("before", 9, 1), lot, policy)).toMatchObject({
      effect: null,
      heldOut: null,
      beforeAfter: null,
    });
  });

  it("say what is missing where there is nothing to compare", () => {
    const reason = (...found: readonly ProofSession[]) => proveRule(found, lot, policy).reason;
    expect(reason()).toBe("no chance of the mistake yet, neither with it nor without it");
    expect(reason(...even("before", 3, 1), ...even("held-out", 1, 1))).toBe(
      "no chance of the mistake with it yet, 40 chances without it",
    );
    expect(reason({ arm: "treated", opportunities: 1, attempts: 0 })).toBe(
      "1 chance with it, and none without it to compare",
    );
  });

  it("name only the arms that there are, and a change by its size", () => {
    const rose = [...even("before", 40, 0), ...even("treated", 80, 9), ...even("held-out", 10, 0)];
    expect(proveRule(rose, lot, policy).reason).toMatch(
      /^mistakes went up: 90 % of 800 chances with it, 0 % of 400 chances before it, 0 % of 100 chances in its control group \(\d+ to \d+ times as many\)$/,
    );
    expect(proveRule([...even("held-out", 2, 5), ...even("treated", 2, 5)], lot, policy).reason).toMatch(
      /^too early to say whether it helps: the mistake was made in 10 of 20 chances with it, in 10 of 20 in its control group \(retries of one call are one chance\)$/,
    );
  });

  it("need more than a won bet: where held-out sessions say the opposite, nothing is sure", () => {
    const fell = [...even("before", 80, 8), ...even("treated", 80, 1)];
    const rose = [...even("before", 80, 1), ...even("treated", 80, 8)];
    expect(proveRule(fell, lot, policy).verdict).toBe("works");
    expect(proveRule(rose, lot, policy).verdict).toBe("harmful");
    const noLongerLess = proveRule([...fell, ...even("held-out", 1, 0)], lot, policy);
    expect(noLongerLess.evidence.works).toBeGreaterThan(1 / policy.proofError);
    expect(noLongerLess.verdict).toBe("not enough data");
    const noLongerMore = proveRule([...rose, { arm: "held-out", opportunities: 9, attempts: 9 }], lot, policy);
    expect(noLongerMore.evidence.harmful).toBeGreaterThan(1 / policy.proofError);
    expect(noLongerMore.verdict).toBe("not enough data");
  });
});

describe("a mistake that is never made again", () => {
  it("is proof that the rule works, also where no session does without it", () => {
    const sessions = (arm: ProofSession["arm"], attempts: number) =>
      Array.from({ length: 25 }, () => ({ arm, opportunities: 8, attempts }));
    const proof = proveRule(
      [...sessions("before", 5), ...sessions("treated", 0)],
      { oneIn: null },
      defaultPolicy.distil,
    );
    expect(proof.verdict).toBe("works");
  });
});

describe("what a rule saved", () => {
  const proven = proveRule([...sessions("before", 60, 30), ...since(100, 4, 5)], lot, policy);

  it("is what was not attempted, at what an attempt costs, with an interval", () => {
    const saved = computeSavings(proven, 3);
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
      expect(computeSavings({ ...proven, verdict }, 3)).toEqual({ kind: "unproven" });
    },
  );

  it("is unknown without an effect, and where the rule's own sessions say the opposite", () => {
    const { effect } = proven;
    if (effect === null) throw new Error("it was proven");
    expect(computeSavings({ ...proven, effect: null }, 3)).toEqual({ kind: "unproven" });
    expect(computeSavings({ ...proven, effect: { ...effect, ratio: 1 } }, 3)).toEqual({ kind: "unproven" });
    expect(computeSavings({ ...proven, effect: { ...effect, ratio: 1.2 } }, 3)).toEqual({ kind: "unproven" });
  });

  it("is never less than nothing, and its bounds are those of the effect", () => {
    const effect = { ratio: 0.5, low: 0.25, high: 0.75, against: "both", without: 0.4, with: 0.2 } as const;
    const arms = { ...proven.arms, treated: { sessions: 10, opportunities: 100, attempts: 20 } };
    const saved = computeSavings({ verdict: "works", effect, arms }, 3);
    expect(saved).toEqual({ kind: "saved", attempts: 20, cost: 60, low: 30, high: 90 });
    expect(computeSavings({ verdict: "works", effect: { ...effect, high: 1.5 }, arms }, 3)).toMatchObject({ low: 0 });
  });
});
