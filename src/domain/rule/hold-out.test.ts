import { describe, expect, it } from "vitest";
import { heldOut } from "./hold-out.ts";
import { defaultPolicy } from "../policy.ts";

const policy = defaultPolicy.distil;
const rule = { id: "r_1", level: "nudge", safety: false, expectedOpportunities: 30 } as const;
const sessions = Array.from({ length: 10_000 }, (_, at) => `session-${at}`);
const share = (held: (session: string) => boolean) => sessions.filter(held).length / sessions.length;

describe("the hold-out", () => {
  it("is one session in ten, and the same ones every time", () => {
    const held = (session: string) => heldOut(rule, session, policy);
    expect(Math.abs(share(held) - 0.1)).toBeLessThan(0.01);
    expect(sessions.filter(held)).toEqual(sessions.filter(held));
    expect(Math.abs(share((session) => heldOut(rule, session, { ...policy, holdOutOneIn: 4 })) - 0.25)).toBeLessThan(
      0.015,
    );
  });

  it("is other sessions for another rule, as chance would have it", () => {
    const both = share((session) => heldOut(rule, session, policy) && heldOut({ ...rule, id: "r_2" }, session, policy));
    expect(Math.abs(both - 0.01)).toBeLessThan(0.004);
  });

  it.each([
    ["a rule that denies", { level: "deny" }],
    ["a safety rule", { safety: true }],
    ["a rule with fewer than 30 opportunities to come", { expectedOpportunities: 29 }],
  ] as const)("never takes %s away", (_, over) => {
    expect(share((session) => heldOut({ ...rule, ...over }, session, policy))).toBe(0);
  });

  it("can be switched off", () => {
    expect(share((session) => heldOut(rule, session, { ...policy, holdOut: false }))).toBe(0);
  });
});
