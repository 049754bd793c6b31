import type { Policy } from "../../policy.ts";
import type { RuleStatus } from "../rule.ts";

/** What happened with one rule in one session. */
export interface Encounter {
  readonly shown: boolean;
  /** Calls in which the mistake could have been made, after the rule was shown. */
  readonly opportunities: number;
  /** How many of them made it. */
  readonly repeats: number;
  /**
   * How many of those failed as predicted, or went against a user's wish, and how many worked. The rest are unknown.
   */
  readonly failed: number;
  readonly worked: number;
  /** True if this session was already counted for this rule. */
  readonly counted: boolean;
}

export type ReinforceResult =
  | { readonly kind: "unchanged"; readonly reason: string }
  | {
      readonly kind: "followed" | "broken" | "contradicted";
      readonly confidence: number;
      readonly status: RuleStatus;
      /** To be added to the rule's count. */
      readonly violations: 0 | 1;
      readonly reason: string;
    };

/**
 * Adjusts a rule's confidence once per session. It gains only if its situation arose. If the call was made all the
 * same, its outcome decides: a failure shows that the rule was right and was ignored; only a success contradicts it. If
 * there were both, the failures count.
 */
export function reinforceRule(
  rule: {
    readonly status: RuleStatus;
    readonly confidence: number;
    /** True if a person approved it: being wrong does not revoke a person's decision. */
    readonly isDecided?: boolean;
    /** True if its advice changes what is done: that agents follow it does not show that it is right. */
    readonly changesAct?: boolean;
  },
  encounter: Encounter,
  policy: Policy["distil"],
): ReinforceResult {
  if (encounter.counted) return unchanged("this session is already counted");
  if (!encounter.shown) return unchanged("it was not shown");
  if (encounter.opportunities === 0) return unchanged("there was no opportunity");
  const { status } = rule;
  if (encounter.failed > 0) {
    const reason = "shown and broken, and the call failed";
    return { kind: "broken", confidence: rule.confidence, status, violations: 1, reason };
  }
  if (encounter.repeats === 0) {
    const bonus = rule.changesAct === true ? 0 : policy.reinforceBonus;
    const confidence = Math.min(1, rule.confidence + bonus);
    const reason = "shown and followed";
    return { kind: "followed", confidence, status, violations: 0, reason };
  }
  if (encounter.worked === 0) return unchanged("shown and broken; the outcome is unknown");
  const confidence = Math.max(0, rule.confidence - policy.contradictPenalty);
  const falls = status === "approved" && rule.isDecided !== true && confidence < policy.confidenceFloor;
  return {
    kind: "contradicted",
    confidence,
    status: falls ? "candidate" : status,
    violations: 0,
    reason: `shown and broken, and the call worked${falls ? `; below ${policy.confidenceFloor} it becomes a candidate again` : ""}`,
  };
}

function unchanged(reason: string): ReinforceResult {
  return { kind: "unchanged", reason };
}
