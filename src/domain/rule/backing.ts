import type { Rule } from "./rule.ts";

/**
 * True if the owner or sufficient evidence approved it. Only such a rule is in force; a candidate that speaks is marked
 * as not yet reviewed.
 */
export function isApproved(rule: Pick<Rule, "status">): boolean {
  return rule.status === "approved";
}

/**
 * True if it was mined from what users said or what agents rewrote. Only the owner can say whether it holds in general.
 */
export function isFromUserWords({ signature }: Pick<Rule, "signature">): boolean {
  return signature !== null && /^(?:correction |edit [^]+ → )/.test(signature);
}

/** True if the rule is broken by every call that it warns against: it is in its owner's or a user's words. */
export function isWish(rule: Pick<Rule, "origin" | "signature">): boolean {
  return rule.origin === "owner" || isFromUserWords(rule);
}
