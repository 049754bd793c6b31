import { describe, expect, it } from "vitest";
import { Refusal } from "../decision.ts";
import { approve, edit, merge, onTopOf, pin, reject, retire, unpin } from "./decisions.ts";
import { levels, type Rule, ruleStatuses, speaks } from "./rule.ts";

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
    expect(approve(aRule({ level: "advise", matcher })).level).toBe("nudge");
    expect(approve(aRule({ level: "advise", matcher }), "advise").level).toBe("advise");
    expect(approve(aRule({ level: "advise", matcher: null })).level).toBe("advise");
  });

  it("approved, it speaks, whatever it was and however softly; a harder level stays unless one is named", () => {
    for (const status of ruleStatuses)
      for (const level of levels) expect(speaks(approve(aRule({ status, level })))).toBe(true);
    expect(approve(aRule({ level: "watch" })).level).toBe("nudge");
    expect(approve(aRule({ level: "ask" })).level).toBe("ask");
    expect(approve(aRule({ level: "advise" }), "deny").level).toBe("deny");
    expect(approve(aRule(), "watch").level).toBe("nudge");
  });

  it("rejected or retired, it is silent", () => {
    for (const level of levels) {
      expect(speaks(reject(aRule({ level })))).toBe(false);
      expect(speaks(retire(aRule({ level })))).toBe(false);
    }
    expect(reject(aRule({ level: "deny" })).level).toBe("watch");
    expect(retire(aRule({ level: "deny" })).level).toBe("deny");
  });

  it("touches nothing else", () => {
    expect(unpin(pin(aRule()))).toEqual(aRule());
    expect(edit(aRule(), {})).toEqual(aRule());
    expect(edit(aRule(), { text: "use pnpm" })).toEqual(aRule({ text: "use pnpm" }));
    expect(edit(aRule(), { level: "ask" })).toEqual(aRule({ level: "ask" }));
  });

  it("merged, the others' evidence is the kept one's, and they name it; a rule is not merged into itself", () => {
    const made = merge(aRule(), [aRule({ id: "r2" }), aRule({ id: "r3" })], "one sentence for all");
    expect(made).toMatchObject({
      kept: { id: "r1", text: "one sentence for all", evidence: { observations: 6 } },
      merged: [
        { id: "r2", status: "merged", mergedInto: "r1" },
        { id: "r3", status: "merged", mergedInto: "r1" },
      ],
    });
    expect(merge(aRule(), [aRule()])).toBeInstanceOf(Refusal);
  });
});

describe("what the laws judged a moment ago", () => {
  const before = aRule();
  const promoted = { before, after: aRule({ status: "approved", confidence: 0.6 }) };

  it("goes on top of the rule as it is now", () => {
    expect(onTopOf(before, promoted)).toEqual(promoted.after);
    expect(onTopOf(aRule({ text: "mine" }), promoted)).toEqual({ ...promoted.after, text: "mine" });
  });

  it("gives way where somebody has since decided on the same, on its status or on its pin", () => {
    for (const over of [{ confidence: 0.9 }, { status: "rejected" }, { pinned: true }] as const)
      expect(onTopOf(aRule(over), promoted)).toEqual(aRule(over));
  });

  it("takes a doubt away, and keeps one that it says nothing about", () => {
    const doubt = { releases: { codex: "0.2" }, confidence: 0.7, level: "ask", status: "candidate" } as const;
    const doubted = aRule({ doubt });
    expect(onTopOf(doubted, { before: doubted, after: before })).toEqual(before);
    expect(onTopOf(doubted, { before: doubted, after: aRule({ doubt, confidence: 0.4 }) })).toEqual(
      aRule({ doubt, confidence: 0.4 }),
    );
  });
});
