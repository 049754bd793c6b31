import { describe, expect, it } from "vitest";
import { isInControlGroup, canBeginTrial } from "./holdout.ts";
import { defaultPolicy } from "../../policy.ts";

const policy = defaultPolicy.distil;
const rule = { id: "r_1", level: "nudge", origin: "tool" } as const;
const sessions = Array.from({ length: 10_000 }, (_, at) => `session-${at}`);
const share = (held: (session: string) => boolean) => sessions.filter(held).length / sessions.length;

describe("the hold-out", () => {
  it("is one session in ten, and the same ones every time", () => {
    const held = (session: string) => isInControlGroup(rule, session, policy);
    expect(Math.abs(share(held) - 0.1)).toBeLessThan(0.01);
    expect(sessions.filter(held)).toEqual(sessions.filter(held));
    expect(
      Math.abs(share((session) => isInControlGroup(rule, session, { ...policy, holdOutOneIn: 4 })) - 0.25),
    ).toBeLessThan(0.015);
  });

  it("is other sessions for another rule, as chance would have it", () => {
    const both = share(
      (session) => isInControlGroup(rule, session, policy) && isInControlGroup({ ...rule, id: "r_2" }, session, policy),
    );
    expect(Math.abs(both - 0.01)).toBeLessThan(0.004);
  });

  it.each([
    ["a rule that denies", { level: "deny" }],
    ["a rule of its owner", { origin: "owner" }],
  ] as const)("never takes %s away", (_, over) => {
    expect(share((session) => isInControlGroup({ ...rule, ...over }, session, policy))).toBe(0);
    expect(canBeginTrial({ ...rule, ...over }, 1_000, policy)).toBe(false);
  });

  it("begins only where 30 opportunities are to come", () => {
    expect(canBeginTrial(rule, 30, policy)).toBe(true);
    expect(canBeginTrial(rule, 29, policy)).toBe(false);
  });

  it("can be switched off", () => {
    const off = { ...policy, holdOut: false };
    expect(share((session) => isInControlGroup(rule, session, off))).toBe(0);
    expect(canBeginTrial(rule, 30, off)).toBe(false);
  });
});
