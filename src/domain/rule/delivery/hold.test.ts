import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../policy.ts";
import { type FailureCost, type HoldEvidence, computeHoldWorth, judgeHold } from "./hold.ts";
import { explainDelivery } from "./hold-reason.ts";

const rule = {
  status: "approved",
  level: "nudge",
  signature: null,
  origin: "tool",
  matcher: { tool: "shell", head: "npm test" },
  evidence: { observations: 12, sessions: 12, first: 1, last: 2, refs: [] },
} as const;
const free: FailureCost = { failures: 12, characters: 0, ms: 0, calls: 0 };
const seen = (over: Partial<Omit<HoldEvidence, "cost">> = {}, each: Partial<FailureCost> = {}): HoldEvidence => ({
  failed: 12,
  worked: 0,
  failedSince: 0,
  deliveries: [],
  ...over,
  cost: {
    failures: 12,
    characters: 12 * (each.characters ?? 0),
    ms: 12 * (each.ms ?? 0),
    calls: 12 * (each.calls ?? 0),
  },
});
const holds = (evidence: HoldEvidence) => judgeHold(rule, evidence, defaultPolicy.distil).holds;

describe("a hold pays", () => {
  it.each([
    ["a failure that prints little and ends at once", { characters: 240, ms: 200 }, false],
    ["a failure that prints nothing", {}, false],
    ["a failure that prints a screen", { characters: 2_400 }, true],
    ["a failure that takes half a minute and prints little", { characters: 100, ms: 30_000 }, true],
    ["a failure that agents need ten calls to get over", { characters: 240, calls: 10 }, true],
    ["a failure that agents get over with one call in between", { characters: 240, calls: 1 }, false],
  ])("by what was recorded: %s", (_, each, pays) => {
    expect(holds(seen({}, each))).toBe(pays);
  });

  it("not where nothing was recorded of what a failure costs: unknown counts as cheap", () => {
    expect(holds({ ...seen(), cost: { ...free, failures: 0 } })).toBe(false);
  });

  it("by the mean of the failures whose cost is known", () => {
    const cost = { failures: 2, characters: 2 * 2_400, ms: 0, calls: 0 };
    expect(computeHoldWorth({ ...seen(), cost }).failure).toBe(600);
  });

  it("the less, the more often the call worked after all", () => {
    const cost = { characters: 1_200 };
    expect(holds(seen({ failed: 60 }, cost))).toBe(true);
    expect(holds(seen({ failed: 60, worked: 10 }, cost))).toBe(false);
  });

  it("the less, the more sessions repeated a call that was held", () => {
    const cost = { characters: 2_400 };
    expect(holds(seen({ deliveries: [{ delivery: "hold", sessions: 20, kept: 18 }] }, cost))).toBe(true);
    expect(holds(seen({ deliveries: [{ delivery: "hold", sessions: 20, kept: 8 }] }, cost))).toBe(false);
  });

  it("the more, the less a note helped to get over the failure", () => {
    const cost = { characters: 240, calls: 3 };
    expect(holds(seen({ deliveries: [{ delivery: "note", sessions: 20, kept: 20 }] }, cost))).toBe(false);
    expect(holds(seen({ deliveries: [{ delivery: "note", sessions: 20, kept: 10 }] }, cost))).toBe(true);
  });
});

describe("the owner is told how a rule comes with a call, and why", () => {
  const dear = { characters: 2_400 };
  const deliver = (over: object, evidence: HoldEvidence, recall: object = {}) => {
    const policy = { ...defaultPolicy, recall: { ...defaultPolicy.recall, ...recall } };
    return explainDelivery({ ...rule, ...over }, evidence, policy);
  };

  it.each([
    ["holds", deliver({}, seen({}, dear)), "hold: a failed call costs more than a refused one"],
    [
      "is not reviewed, and adds what its error does not name",
      deliver(
        { status: "candidate", evidence: { remedy: { origin: "option", forms: [] } } },
        seen({ failedSince: 1 }, dear),
      ),
      "note: it is not approved, and its error neither names nor shows what is right",
    ],
    ["does not pay", deliver({}, seen({}, { characters: 240 })), "note: a failed call costs less than a refused one"],
    [
      "has no recorded cost",
      deliver({}, { ...seen(), cost: { ...free, failures: 0 } }),
      "note: the cost of a failure is unknown, so it counts as cheap",
    ],
    ["is not sure enough", deliver({}, seen({ failed: 8 }, dear)), "note: 8 of 8 calls failed; a hold needs 9 of 9"],
    [
      "was asked for",
      deliver({ signature: "correction - npm", evidence: { sessions: 3 } }, seen({ failed: 0, worked: 5 }, dear)),
      "note: you asked for it in 3 sessions",
    ],
    ["is new", deliver({}, seen({ failed: 0, worked: 0 })), "note: no matching call was counted yet"],
    [
      "was only mined",
      deliver({ status: "candidate" }, seen({}, dear)),
      "note: it is not approved, and the call has not failed since it was proposed",
    ],
    ["is kept from it", deliver({}, seen({}, dear), { holdCalls: false }), "note: recall.holdCalls is false"],
  ])("one that %s", (_, found, text) => {
    expect(`${found?.delivery}: ${found?.reason}`).toBe(text);
  });

  it.each([
    { level: "watch" },
    { level: "advise" },
    { level: "ask" },
    { level: "deny" },
    { status: "rejected" },
    { matcher: null },
  ] as const)("nothing of %j", (over) => {
    expect(deliver(over, seen({}, dear))).toBeNull();
  });
});
