import type { Policy } from "../policy.ts";
import type { RuleStatus } from "./rule.ts";

/** What one session had to do with one rule. */
export interface Encounter {
  readonly shown: boolean;
  /** Calls in which the warned-against deed could have been done, after the rule was shown. */
  readonly opportunities: number;
  /** How many of them did it. */
  readonly repeats: number;
  /** How many of those failed, as the rule foretold, or went against somebody's wish; and how many worked. Of the rest it is not known. */
  readonly failed: number;
  readonly worked: number;
  /** This session has been counted for this rule before. */
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
 * A rule gains only where its situation arose: a session without an opportunity says nothing about it. Once per rule and session.
 * Where the deed was done all the same, its outcome judges: a failure shows that the rule was right, and not listened to;
 * only a success speaks against it. A session with both counts by its failures.
 */
export function reinforceRule(
  rule: {
    readonly status: RuleStatus;
    readonly confidence: number;
    /** A person approved it: that it was wrong does not undo what a person decided. */
    readonly isDecided?: boolean;
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
    const confidence = Math.min(1, rule.confidence + policy.reinforceBonus);
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
