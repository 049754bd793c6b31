import { describe, expect, it } from "vitest";
import { DAY } from "../../lib/clock.ts";
import { defaultPolicy } from "../policy.ts";
import {
  computeAllowedLevel,
  computeLevelCeiling,
  mergeEvidence,
  findMerges,
  promoteCandidate,
  proposedLevel,
  type PromotionCandidate,
} from "./promote.ts";
import type { Evidence } from "./rule.ts";

const policy = defaultPolicy.distil;
const now = 100 * DAY;
const ripe: PromotionCandidate = {
  status: "candidate",
  origin: "tool",
  isFromUserWords: false,
  confidence: 0.6,
  observations: 5,
  sessions: 2,
  firstSeen: now - 27 * DAY,
  lastSeen: now - 20 * DAY,
  proposedAt: now - 21 * DAY,
  lastContradicted: now - 14 * DAY,
};

describe("promotion", () => {
  it("approves with 5 observations, 2 sessions, 7 days, confidence 0.6 and 14 quiet days, for 0.1 more", () => {
    const result = promoteCandidate(ripe, policy, now);
    expect(result.kind).toBe("approved");
    expect(result).toHaveProperty("confidence", expect.closeTo(0.7, 10));
    expect(promoteCandidate({ ...ripe, lastContradicted: null }, policy, now).kind).toBe("approved");
    expect(promoteCandidate({ ...ripe, confidence: 0.95 }, policy, now)).toHaveProperty("confidence", 1);
  });

  it.each([
    ["observations", { observations: 4 }, "4 of 5 observations"],
    ["sessions", { sessions: 1 }, "1 of 2 sessions"],
    ["days", { firstSeen: now - 26.9 * DAY }, "6 of 7 days"],
    ["being seen after it was proposed", { proposedAt: now - 20 * DAY }, "not seen since it was proposed"],
    ["the owner's word on somebody's word", { isFromUserWords: true }, "the owner decides"],
    ["confidence", { confidence: 0.59 }, "confidence 0.59 of 0.6"],
    ["quiet", { lastContradicted: now - 13.9 * DAY }, "contradicted in the last 14 days"],
    ["the owner's word", { origin: "external" }, "the owner decides"],
    ["being a candidate", { status: "rejected" }, "it is rejected"],
  ] as const)("waits for want of %s", (_, over, lack) => {
    expect(promoteCandidate({ ...ripe, ...over }, policy, now)).toEqual({
      kind: "waiting",
      lacks: [expect.stringContaining(lack) as string],
    });
  });
});

it("says over which days it was seen, not how long ago that began", () => {
  const old = { ...ripe, firstSeen: now - 90 * DAY, lastSeen: now - 82 * DAY, proposedAt: now - 83 * DAY };
  expect(promoteCandidate(old, policy, now)).toHaveProperty(
    "reason",
    "5 observations in 2 sessions over 8 days, the last after it was proposed",
  );
});

describe("a rule's ceiling", () => {
  const nobody = { ownerApproved: false, builtIn: false, hasMatcher: true };
  const hits = (right: number, wrong = 0) => ({ hits: right, falseAlarms: wrong, sessions: 2 });

  it("is advise where the calls say as much as three failures with no success: six of seven, not five of six", () => {
    const of = (right: number, wrong: number) =>
      computeAllowedLevel({ hits: right, falseAlarms: wrong, sessions: 3 }, policy).level;
    expect([of(3, 0), of(6, 1), of(8, 2)]).toEqual(["advise", "advise", "advise"]);
    expect([of(3, 1), of(5, 1), of(12, 6), of(57, 43)]).toEqual(["watch", "watch", "watch", "watch"]);
  });

  it("is advise from one failure in each of two sessions where the program did not know what it was given", () => {
    const certain = { hits: 2, falseAlarms: 0, sessions: 2, isCertain: true };
    expect(computeAllowedLevel(certain, policy).level).toBe("advise");
    expect(computeAllowedLevel({ ...certain, isCertain: false }, policy).level).toBe("watch");
    expect(computeAllowedLevel({ ...certain, falseAlarms: 1 }, policy).level).toBe("watch");
    expect(computeAllowedLevel({ ...certain, sessions: 1 }, policy).level).toBe("watch");
  });

  it("is advise from three failures in two sessions with no success, and nothing with fewer or with one", () => {
    expect(computeLevelCeiling(hits(2), nobody, policy).level).toBe("watch");
    expect(computeLevelCeiling(hits(3), nobody, policy).level).toBe("advise");
    expect(computeLevelCeiling(hits(3, 1), nobody, policy).level).toBe("watch");
    expect(computeLevelCeiling({ ...hits(3), sessions: 1 }, nobody, policy).level).toBe("watch");
  });

  it("is a nudge at most where a miner proposes", () => {
    expect(proposedLevel(hits(40), policy)).toBe("nudge");
    expect(proposedLevel(hits(3), policy)).toBe("advise");
  });

  it.each([
    // The lower bound for n of n: 4 → 0.51, 5 → 0.57, 15 → 0.796, 16 → 0.806, 34 → 0.898, 35 → 0.901.
    [4, 0, "nudge"],
    [5, 0, "nudge"],
    [15, 0, "nudge"],
    [16, 0, "ask"],
    [34, 0, "ask"],
    [35, 0, "deny"],
    [6, 6, "watch"],
    [60, 40, "nudge"],
    [57, 43, "watch"],
  ] as const)("is by the lower bound of precision: %d right and %d wrong allow %s", (right, wrong, level) => {
    expect(computeLevelCeiling(hits(right, wrong), nobody, policy).level).toBe(level);
  });

  it("is deny where the owner approved or a guard was built in, and advise without a matcher", () => {
    expect(computeLevelCeiling(hits(0), { ...nobody, ownerApproved: true }, policy).level).toBe("deny");
    expect(computeLevelCeiling(hits(0), { ...nobody, builtIn: true }, policy).level).toBe("deny");
    expect(computeLevelCeiling(hits(99), { ...nobody, ownerApproved: true, hasMatcher: false }, policy).level).toBe(
      "advise",
    );
  });
});

describe("merging", () => {
  const one = (id: string, over: object = {}) => ({
    id,
    signature: "sig",
    scope: "global",
    status: "candidate" as const,
    confidence: 0.5,
    createdAt: 1,
    ...over,
  });

  it("keeps the approved one, else the surest, else the oldest", () => {
    const names = (rules: Parameters<typeof findMerges>[0]) =>
      findMerges(rules).map(({ into, from }) => [into.id, from.map((rule) => rule.id)]);
    expect(names([one("a", { confidence: 0.9 }), one("b", { status: "approved" })])).toEqual([["b", ["a"]]]);
    expect(names([one("a"), one("b", { confidence: 0.6 })])).toEqual([["b", ["a"]]]);
    expect(names([one("b", { createdAt: 2 }), one("a"), one("c", { createdAt: 3 })])).toEqual([["a", ["b", "c"]]]);
  });

  it("leaves apart what differs in signature or scope, has none, or is out of force", () => {
    expect(findMerges([one("a"), one("b", { signature: "other" })])).toEqual([]);
    expect(findMerges([one("a"), one("b", { scope: "/shop" })])).toEqual([]);
    expect(findMerges([one("a", { signature: null }), one("b", { signature: null })])).toEqual([]);
    expect(findMerges([one("a"), one("b", { status: "rejected" })])).toEqual([]);
  });

  it("counts a call that both cite once", () => {
    const ref = (session: string, seq: number) => ({ session, seq, host: "h", at: seq, excerpt: "" });
    const a: Evidence = { observations: 3, sessions: 1, first: 1, last: 3, refs: [ref("s", 1), ref("s", 3)] };
    const b: Evidence = { observations: 4, sessions: 2, first: 0, last: 9, refs: [ref("s", 3), ref("t", 9)] };
    expect(mergeEvidence(a, b)).toMatchObject({ observations: 6, sessions: 2, first: 0, last: 9 });
    expect(mergeEvidence(a, b).refs.map((one_) => one_.seq)).toEqual([1, 3, 9]);
  });
});
