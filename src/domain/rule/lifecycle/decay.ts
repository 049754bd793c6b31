import { DAY } from "../../../lib/clock.ts";
import type { Policy } from "../../policy.ts";
import type { RuleStatus } from "../rule.ts";

export interface AgeingRule {
  readonly status: RuleStatus;
  readonly confidence: number;
  readonly pinned: boolean;
  /** True if the owner wrote it, or set it to ask or deny. */
  readonly isOwners: boolean;
  readonly observations: number;
  /** When its situation last occurred, or it was last shown. */
  readonly lastSeen: number;
}

export type DecayResult =
  | { readonly kind: "unchanged"; readonly reason: string }
  | {
      readonly kind: "faded";
      readonly confidence: number;
      readonly status: RuleStatus;
      readonly reason: string;
    };

/**
 * Lowers the confidence of a rule that is no longer met, more slowly the more observations it has. The owner's rules do
 * not decay: a ban must hold on the first day it is needed, however late. Repeated calls are safe: only the time since
 * the last sweep counts.
 */
export function decayRule(
  rule: AgeingRule,
  time: { readonly now: number; readonly sweptAt: number | null },
  policy: Policy["distil"],
): DecayResult {
  if (rule.pinned) return { kind: "unchanged", reason: "pinned" };
  if (rule.isOwners) return { kind: "unchanged", reason: "the owner's" };
  if (!["approved", "candidate", "dormant"].includes(rule.status)) return { kind: "unchanged", reason: rule.status };
  const unseen = (time.now - rule.lastSeen) / DAY;
  const since = Math.max(rule.lastSeen + policy.staleDays * DAY, time.sweptAt ?? 0);
  const faded = Math.max(0, (time.now - since) / DAY) * decayPerDay(rule.observations, policy);
  const status = statusAfter(rule.status, unseen, policy);
  const confidence = Math.max(0, rule.confidence - faded);
  if (status === rule.status && confidence === rule.confidence) return { kind: "unchanged", reason: "seen recently" };
  const reason = `not seen for ${Math.floor(unseen)} days`;
  return { kind: "faded", confidence, status, reason: status === rule.status ? reason : `${reason}: ${status}` };
}

export function decayPerDay(observations: number, policy: Policy["distil"]): number {
  return policy.decayPerDay / (1 + observations / policy.decaySlowing);
}

/**
 * Revives a dormant rule whose pattern recurred, or that is the owner's. A mined rule with too little confidence
 * becomes a candidate. Null if it is not dormant.
 */
export function reviveRule(
  rule: Pick<AgeingRule, "status" | "confidence" | "isOwners">,
  policy: Policy["distil"],
): { readonly status: RuleStatus; readonly reason: string } | null {
  if (rule.status !== "dormant") return null;
  if (rule.isOwners) return { status: "approved", reason: "rules of the owner do not decay" };
  return rule.confidence < policy.confidenceFloor
    ? { status: "candidate", reason: "its pattern recurred, but its confidence was too low" }
    : { status: "approved", reason: "its pattern recurred" };
}

/** A candidate was never in force, so it does not become dormant: it waits, then retires. */
function statusAfter(status: RuleStatus, unseen: number, policy: Policy["distil"]): RuleStatus {
  if (unseen >= policy.retireDays) return "retired";
  return status === "approved" && unseen >= policy.dormantDays ? "dormant" : status;
}
