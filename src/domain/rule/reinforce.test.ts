import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../policy.ts";
import { type Encounter, reinforce } from "./reinforce.ts";

const policy = defaultPolicy.distil;
const approved = { status: "approved", confidence: 0.5 } as const;
const met = (over: Partial<Encounter> = {}): Encounter => ({
  shown: true,
  opportunities: 2,
  repeats: 0,
  counted: false,
  ...over,
});

describe("reinforcement", () => {
  it("adds 0.03 where a shown rule could have been broken and was not", () => {
    const answer = reinforce(approved, met(), policy);
    expect(answer).toMatchObject({ kind: "followed", violations: 0, status: "approved" });
    expect(answer).toHaveProperty("confidence", expect.closeTo(0.53, 10));
  });

  it("takes 0.10 and counts one violation where it was broken, however often in that session", () => {
    for (const repeats of [1, 5]) {
      const answer = reinforce(approved, met({ opportunities: 5, repeats }), policy);
      expect(answer).toMatchObject({ kind: "broken", violations: 1 });
      expect(answer).toHaveProperty("confidence", expect.closeTo(0.4, 10));
    }
  });

  it.each([
    ["no opportunity", met({ opportunities: 0 })],
    ["never shown", met({ shown: false, repeats: 1 })],
    ["counted already", met({ counted: true, repeats: 1 })],
  ])("says nothing of a session with %s", (_, encounter) => {
    expect(reinforce(approved, encounter, policy).kind).toBe("unchanged");
  });

  it("leaves a rule approved that a person approved", () => {
    const decided = { status: "approved", confidence: 0.2, isDecided: true } as const;
    expect(reinforce(decided, met({ repeats: 1 }), policy)).toMatchObject({ kind: "broken", status: "approved" });
  });

  it("makes a rule a candidate again below 0.3, not at 0.3", () => {
    const broken = met({ repeats: 1 });
    expect(reinforce({ status: "approved", confidence: 0.401 }, broken, policy)).toHaveProperty("status", "approved");
    expect(reinforce({ status: "approved", confidence: 0.399 }, broken, policy)).toHaveProperty("status", "candidate");
    expect(reinforce({ status: "retired", confidence: 0.1 }, broken, policy)).toHaveProperty("status", "retired");
  });

  it("stays between 0 and 1", () => {
    expect(reinforce({ status: "approved", confidence: 0.99 }, met(), policy)).toHaveProperty("confidence", 1);
    expect(reinforce({ status: "candidate", confidence: 0.05 }, met({ repeats: 1 }), policy)).toHaveProperty(
      "confidence",
      0,
    );
  });
});
