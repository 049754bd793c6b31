import type { Policy } from "../policy.ts";
import type { RuleStatus } from "./rule.ts";

/** What one session had to do with one rule. */
export interface Encounter {
  readonly shown: boolean;
  /** Calls in which the warned-against deed could have been done, after the rule was shown. */
  readonly opportunities: number;
  /** How many of them did it. */
  readonly repeats: number;
  /** This session has been counted for this rule before. */
  readonly counted: boolean;
}

export type Reinforced =
  | { readonly kind: "unchanged"; readonly reason: string }
  | {
      readonly kind: "followed" | "broken";
      readonly confidence: number;
      readonly status: RuleStatus;
      /** To be added to the rule's count. */
      readonly violations: 0 | 1;
      readonly reason: string;
    };

/** A rule gains only where its situation arose: a session without an opportunity says nothing about it. Once per rule and session. */
export function reinforce(
  rule: {
    readonly status: RuleStatus;
    readonly confidence: number;
    /** A person approved it: that it is not followed does not undo what a person decided. */
    readonly isDecided?: boolean;
  },
  encounter: Encounter,
  policy: Policy["distil"],
): Reinforced {
  if (encounter.counted) return unchanged("this session has been counted already");
  if (!encounter.shown) return unchanged("it was not shown");
  if (encounter.opportunities === 0) return unchanged("there was no opportunity to break it");
  const isBroken = encounter.repeats > 0;
  const step = isBroken ? -policy.contradictPenalty : policy.reinforceBonus;
  const confidence = Math.min(1, Math.max(0, rule.confidence + step));
  const falls = rule.status === "approved" && rule.isDecided !== true && confidence < policy.confidenceFloor;
  return {
    kind: isBroken ? "broken" : "followed",
    confidence,
    status: falls ? "candidate" : rule.status,
    violations: isBroken ? 1 : 0,
    reason: isBroken
      ? `shown, and done all the same${falls ? `; below ${policy.confidenceFloor} it is a candidate again` : ""}`
      : "shown, and not done again where it could have been",
  };
}

function unchanged(reason: string): Reinforced {
  return { kind: "unchanged", reason };
}
