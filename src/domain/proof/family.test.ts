import { describe, expect, it } from "vitest";
import { poolFamily } from "./family.ts";
import { defaultPolicy } from "../policy.ts";
import { proveRule, type ProofSession } from "./proof.ts";

const policy = defaultPolicy.distil;

/** Attempts in every third session before the rule, and in one of `every` sessions since. */
function rare(every: number, count = 12): readonly ProofSession[] {
  return [
    ...Array.from({ length: count }, (_, at) => ({
      arm: "before" as const,
      opportunities: 1,
      attempts: at % 3 === 0 ? 1 : 0,
    })),
    ...Array.from({ length: count }, (_, at) => ({
      arm: "treated" as const,
      opportunities: 1,
      attempts: at % every === every - 1 ? 1 : 0,
    })),
  ];
}

const rule = (id: string, sessions: readonly ProofSession[]) => ({
  id,
  proof: proveRule(sessions, { oneIn: null }, policy),
});
const family = (count: number, every: number) =>
  poolFamily(
    Array.from({ length: count }, (_, at) => rule(`r${at}`, rare(every))),
    policy,
  );

describe("a family of rules", () => {
  it("is proven together where each rule is too rare to be proven alone", () => {
    expect(rule("r", rare(99)).proof.verdict).toBe("not enough data");
    const pooled = family(10, 99);
    expect(pooled).toMatchObject({ verdict: "works" });
    expect(pooled?.high).toBeLessThan(1);
    expect(pooled?.members.every((one) => one.byFamily && one.verdict === "works")).toBe(true);
  });

  it("without an effect is not called working, however many they are", () => {
    expect(family(40, 3)?.verdict).not.toBe("works");
    expect(family(40, 3)?.ratio).toBeGreaterThan(0.8);
  });

  it("draws a rule towards its middle the more, the less is known of it", () => {
    const others = Array.from({ length: 10 }, (_, at) => rule(`r${at}`, rare(99)));
    const odd = (count: number) =>
      poolFamily([...others, rule("odd", rare(2, count))], policy)?.members.at(-1)?.ratio ?? 0;
    expect(odd(9)).toBeLessThan(odd(900));
    expect(odd(900)).toBeGreaterThan(1);
  });

  it("does not speak for a member that is known to be otherwise", () => {
    const others = Array.from({ length: 10 }, (_, at) => rule(`r${at}`, rare(99)));
    const pooled = poolFamily([...others, rule("odd", rare(2, 90))], policy);
    expect(pooled?.members.at(-1)?.verdict).not.toBe("works");
  });

  it("of rules that nothing can be compared of says nothing", () => {
    expect(poolFamily([rule("r", [])], policy)).toBeNull();
    expect(poolFamily([], policy)).toBeNull();
  });
});
