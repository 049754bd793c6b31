import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../policy.ts";
import { type Encounter, reinforceRule } from "./reinforce.ts";

const policy = defaultPolicy.distil;
const approved = { status: "approved", confidence: 0.5 } as const;
const met = (over: Partial<Encounter> = {}): Encounter => ({
  shown: true,
  opportunities: 2,
  repeats: 0,
  failed: 0,
  worked: 0,
  counted: false,
  ...over,
});

describe("reinforcement", () => {
  it("adds 0.03 where a shown rule could have been broken and was not", () => {
    const result = reinforceRule(approved, met(), policy);
    expect(result).toMatchObject({ kind: "followed", violations: 0, status: "approved" });
    expect(result).toHaveProperty("confidence", expect.closeTo(0.53, 10));
  });

  it("adds nothing to a rule whose advice changes what is done: to be followed does not show that it is right", () => {
    const result = reinforceRule({ ...approved, changesAct: true }, met(), policy);
    expect(result).toMatchObject({ kind: "followed", violations: 0, confidence: 0.5 });
  });

  it("counts one violation where it was done and failed, however often in that session, and was right: it loses nothing", () => {
    for (const failed of [1, 5]) {
      const result = reinforceRule(approved, met({ opportunities: 5, repeats: failed, failed }), policy);
      expect(result).toMatchObject({ kind: "broken", violations: 1, confidence: 0.5, status: "approved" });
    }
  });

  it("takes 0.10 where it was done and worked, and counts no violation", () => {
    for (const worked of [1, 5]) {
      const result = reinforceRule(approved, met({ opportunities: 5, repeats: worked, worked }), policy);
      expect(result).toMatchObject({ kind: "contradicted", violations: 0 });
      expect(result).toHaveProperty("confidence", expect.closeTo(0.4, 10));
    }
  });

  it("counts a session with both by its failures", () => {
    const result = reinforceRule(approved, met({ opportunities: 5, repeats: 5, failed: 1, worked: 4 }), policy);
    expect(result).toMatchObject({ kind: "broken", violations: 1, confidence: 0.5 });
  });

  it.each([
    ["no opportunity", met({ opportunities: 0 })],
    ["never shown", met({ shown: false, repeats: 1, worked: 1 })],
    ["counted already", met({ counted: true, repeats: 1, worked: 1 })],
    ["an outcome that nobody knows", met({ repeats: 1 })],
  ])("says nothing of a session with %s", (_, encounter) => {
    expect(reinforceRule(approved, encounter, policy).kind).toBe("unchanged");
  });

  it("leaves a rule approved that a person approved", () => {
    const decided = { status: "approved", confidence: 0.2, isDecided: true } as const;
    expect(reinforceRule(decided, met({ repeats: 1, worked: 1 }), policy)).toMatchObject({
      kind: "contradicted",
      status: "approved",
    });
  });

  it("makes a rule a candidate again below 0.3, not at 0.3", () => {
    const wrong = met({ repeats: 1, worked: 1 });
    expect(reinforceRule({ status: "approved", confidence: 0.401 }, wrong, policy)).toHaveProperty(
      "status",
      "approved",
    );
    expect(reinforceRule({ status: "approved", confidence: 0.399 }, wrong, policy)).toHaveProperty(
      "status",
      "candidate",
    );
    expect(reinforceRule({ status: "retired", confidence: 0.1 }, wrong, policy)).toHaveProperty("status", "retired");
  });

  it("stays between 0 and 1", () => {
    expect(reinforceRule({ status: "approved", confidence: 0.99 }, met(), policy)).toHaveProperty("confidence", 1);
    expect(
      reinforceRule({ status: "candidate", confidence: 0.05 }, met({ repeats: 1, worked: 1 }), policy),
    ).toHaveProperty("confidence", 0);
  });
});
