import { hashText } from "../../../lib/hash.ts";
import type { Policy } from "../../policy.ts";
import type { Rule } from "../rule.ts";

/** A rule, with its current level or the level it had at the time in question. */
export type TrialRule = Pick<Rule, "id" | "level" | "origin">;

/**
 * True if this session is in the rule's control group, so that it is not shown the rule. Every process chooses alike.
 * Each rule has a control group of its own: with one group for all, peculiar sessions would look like an effect of
 * every rule.
 */
export function isInControlGroup(rule: TrialRule, session: string, policy: Policy["distil"]): boolean {
  return mayBeWithheld(rule, policy) && hashToUnit(`${rule.id} ${session}`) < 1 / policy.holdOutOneIn;
}

/** True if a rule's trial may begin: only if it can be expected to finish. Once begun, it goes on. */
export function canBeginTrial(rule: TrialRule, expectedOpportunities: number, policy: Policy["distil"]): boolean {
  return mayBeWithheld(rule, policy) && expectedOpportunities >= policy.holdOutOpportunities;
}

/** Never rules at deny, because a session without them could do harm, and never the owner's rules. */
export function mayBeWithheld({ level, origin }: TrialRule, policy: Policy["distil"]): boolean {
  return policy.holdOut && origin !== "owner" && level !== "deny";
}

/** Uniform from 0 to below 1. The hash is mixed once more, so that similar names do not get similar values. */
function hashToUnit(text: string): number {
  const hash = hashText(text);
  let bits = Number.parseInt(hash.slice(0, 8), 16) ^ Number.parseInt(hash.slice(8), 16);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0x1_0000_0000;
}
