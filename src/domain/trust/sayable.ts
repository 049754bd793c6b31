import { blockOf } from "./instruction-like.ts";
import { inForce, type RuleInPlay } from "../rule/rule.ts";

/**
 * Whether a rule may be put before an agent of this workspace. The owner vouches for what is approved; before that,
 * words from outside are not shown at all, and a tool's not where they read like orders.
 */
export function maySay(rule: RuleInPlay, workspace: string | null): boolean {
  if (!inForce(rule, workspace)) return false;
  if (rule.status === "approved") return true;
  return rule.origin !== "external" && blockOf({ trust: rule.origin, text: rule.text }) === null;
}
