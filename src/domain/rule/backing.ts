import type { Rule } from "./rule.ts";

/**
 * Whether somebody stands behind it: its owner, or the evidence it has earned approval with. Only such a rule is in force;
 * a candidate that speaks is marked as not yet reviewed.
 */
export function isApproved(rule: Pick<Rule, "status">): boolean {
  return rule.status === "approved";
}

/** Made by the miners that read what users said and what agents rewrote: that it holds in general, only the owner can say. */
export function isFromUserWords({ signature }: Pick<Rule, "signature">): boolean {
  return signature !== null && /^(?:correction |edit [^]+ → )/.test(signature);
}
