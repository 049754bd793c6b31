import { describe, expect, it } from "vitest";
import { escalateRule, stripBreachCount } from "./escalate.ts";
import { defaultPolicy } from "../../policy.ts";
import type { Level } from "../rule.ts";

const policy = defaultPolicy.distil;
const rule = { text: "Use pnpm.", level: "nudge", salience: 0.5, hasMatcher: true } as const;
const broken = (sinceRise: number, ceiling: Level = "deny", inAll = sinceRise) => ({ sinceRise, inAll, ceiling });

describe("escalation", () => {
  it("comes with the third violation since the last rise, not before", () => {
    expect(escalateRule(rule, broken(2), policy).kind).toBe("unchanged");
    expect(escalateRule(rule, broken(3), policy)).toMatchObject({ kind: "raised", level: "ask", salience: 0.7 });
  });

  it("is by one level, however often it was broken", () => {
    expect(escalateRule(rule, broken(30), policy)).toMatchObject({ level: "ask" });
  });

  it("tells in the text how often it was broken, and tells it once", () => {
    const once = escalateRule(rule, broken(3), policy);
    expect(once).toHaveProperty("text", "Use pnpm. (Broken 3 times so far.)");
    const twice = escalateRule(
      { ...rule, text: once.kind === "raised" ? once.text : "" },
      broken(3, "deny", 1_234),
      policy,
    );
    expect(twice).toHaveProperty("text", "Use pnpm. (Broken 1,234 times so far.)");
    expect(stripBreachCount("Use pnpm. (Broken 1,234 times so far.)")).toBe("Use pnpm.");
  });

  it("never goes past what the evidence allows, and says so; salience still rises", () => {
    expect(escalateRule(rule, broken(3, "nudge"), policy)).toMatchObject({ level: "nudge", salience: 0.7 });
    expect(escalateRule(rule, broken(3, "nudge"), policy).reason).toContain("at most nudge");
    expect(escalateRule({ ...rule, level: "deny" }, broken(3, "deny"), policy)).toMatchObject({ level: "deny" });
    expect(escalateRule({ ...rule, salience: 0.95 }, broken(3), policy)).toMatchObject({ salience: 1 });
  });

  it("does not lower a level that the owner set above the ceiling", () => {
    expect(escalateRule({ ...rule, level: "ask" }, broken(3, "nudge"), policy)).toMatchObject({ level: "ask" });
  });

  it("takes a rule without a matcher to advise at most", () => {
    const ledger = { ...rule, hasMatcher: false };
    expect(escalateRule({ ...ledger, level: "watch" }, broken(3), policy)).toMatchObject({ level: "advise" });
    expect(escalateRule({ ...ledger, level: "advise" }, broken(3), policy)).toMatchObject({ level: "advise" });
  });
});
