import { describe, expect, it } from "vitest";
import { Refusal } from "../decision.ts";
import {
  approveRule,
  editRule,
  mergeRules,
  muteRule,
  rebaseRule,
  pinRule,
  rejectRule,
  retireRule,
  unpinRule,
} from "./decisions.ts";
import { levels, type Rule, ruleStatuses, isMuted, isSpeaking } from "./rule.ts";

const aRule = (over: Partial<Rule> = {}): Rule => ({
  id: "r1",
  text: "run pnpm, not npm",
  status: "candidate",
  level: "nudge",
  confidence: 0.5,
  salience: 0.5,
  origin: "tool",
  scope: { kind: "global" },
  signature: null,
  matcher: null,
  evidence: { observations: 2, sessions: 1, first: 1, last: 2, refs: [] },
  pinned: false,
  mergedInto: null,
  createdAt: 1,
  ...over,
});

describe("a decision about a rule", () => {
  it("approved, it speaks at the call it can tell, and softly only where it can tell none or one says so", () => {
    const matcher = { tool: "bash", head: "npm" };
    expect(approveRule(aRule({ level: "advise", matcher })).level).toBe("nudge");
    expect(approveRule(aRule({ level: "advise", matcher }), "advise").level).toBe("advise");
    expect(approveRule(aRule({ level: "advise", matcher: null })).level).toBe("advise");
  });

  it("approved, it speaks, whatever it was and however softly; a harder level stays unless one is named", () => {
    for (const status of ruleStatuses)
      for (const level of levels) expect(isSpeaking(approveRule(aRule({ status, level })))).toBe(true);
    expect(approveRule(aRule({ level: "watch" })).level).toBe("nudge");
    expect(approveRule(aRule({ level: "ask" })).level).toBe("ask");
    expect(approveRule(aRule({ level: "advise" }), "deny").level).toBe("deny");
    expect(approveRule(aRule(), "watch").level).toBe("nudge");
  });

  it("rejected or retired, it is silent", () => {
    for (const level of levels) {
      expect(isSpeaking(rejectRule(aRule({ level })))).toBe(false);
      expect(isSpeaking(retireRule(aRule({ level })))).toBe(false);
    }
    expect(rejectRule(aRule({ level: "deny" })).level).toBe("watch");
    expect(retireRule(aRule({ level: "deny" })).level).toBe("deny");
  });

  it("muted, it is silent and not approved, whatever it was before; a level above watch lets it speak again", () => {
    for (const status of ["candidate", "approved", "dormant"] as const) {
      const muted = muteRule(aRule({ status, level: "ask" }));
      expect(muted).toEqual(aRule({ status: "muted", level: "watch" }));
      expect(isMuted(muted) && !isSpeaking(muted)).toBe(true);
    }
    expect(editRule(aRule({ level: "nudge" }), { level: "watch" })).toEqual(muteRule(aRule()));
    expect(editRule(muteRule(aRule()), { level: "nudge" })).toMatchObject({ status: "approved", level: "nudge" });
    expect(editRule(muteRule(aRule()), { text: "mine" })).toMatchObject({ status: "muted", level: "watch" });
    expect(approveRule(muteRule(aRule()))).toMatchObject({ status: "approved", level: "nudge" });
  });

  it("touches nothing else", () => {
    expect(unpinRule(pinRule(aRule()))).toEqual(aRule());
    expect(editRule(aRule(), {})).toEqual(aRule());
    expect(editRule(aRule(), { text: "use pnpm" })).toEqual(aRule({ text: "use pnpm" }));
    expect(editRule(aRule(), { level: "ask" })).toEqual(aRule({ level: "ask" }));
  });

  it("merged, the others' evidence is the kept one's, and they name it; a rule is not merged into itself", () => {
    const made = mergeRules(aRule(), [aRule({ id: "r2" }), aRule({ id: "r3" })], "one sentence for all");
    expect(made).toMatchObject({
      kept: { id: "r1", text: "one sentence for all", evidence: { observations: 6 } },
      merged: [
        { id: "r2", status: "merged", mergedInto: "r1" },
        { id: "r3", status: "merged", mergedInto: "r1" },
      ],
    });
    expect(mergeRules(aRule(), [aRule()])).toBeInstanceOf(Refusal);
  });
});

describe("what the laws judged a moment ago", () => {
  const before = aRule();
  const promoted = { before, after: aRule({ status: "approved", confidence: 0.6 }) };

  it("goes on top of the rule as it is now", () => {
    expect(rebaseRule(before, promoted)).toEqual(promoted.after);
    expect(rebaseRule(aRule({ text: "mine" }), promoted)).toEqual({ ...promoted.after, text: "mine" });
  });

  it("gives way where somebody has since decided on the same, on its status or on its pin", () => {
    for (const over of [{ confidence: 0.9 }, { status: "rejected" }, { pinned: true }] as const)
      expect(rebaseRule(aRule(over), promoted)).toEqual(aRule(over));
  });

  it("takes a doubt away, and keeps one that it says nothing about", () => {
    const doubt = { releases: { codex: "0.2" }, confidence: 0.7, level: "ask", status: "candidate" } as const;
    const doubted = aRule({ doubt });
    expect(rebaseRule(doubted, { before: doubted, after: before })).toEqual(before);
    expect(rebaseRule(doubted, { before: doubted, after: aRule({ doubt, confidence: 0.4 }) })).toEqual(
      aRule({ doubt, confidence: 0.4 }),
    );
  });
});
