import { hashText } from "../../lib/hash.ts";
import type { Policy } from "../policy.ts";
import type { Rule } from "./rule.ts";

/** A rule at the level it has, or had at the time. */
export type TrialRule = Pick<Rule, "id" | "level" | "origin">;

/**
 * Whether this session is in the rule's control group, once the rule's trial has begun: it does without the rule. The same
 * answer every time, whoever asks, and for each rule another choice of sessions, so that what sessions have in common does
 * not look like an effect.
 */
export function isInControlGroup(rule: TrialRule, session: string, policy: Policy["distil"]): boolean {
  return mayDoWithout(rule, policy) && shareOf(`${rule.id} ${session}`) < 1 / policy.holdOutOneIn;
}

/** Whether a rule's trial may begin: not where it would never come to an end. Once begun it goes on. */
export function canBeginTrial(rule: TrialRule, expectedOpportunities: number, policy: Policy["distil"]): boolean {
  return mayDoWithout(rule, policy) && expectedOpportunities >= policy.holdOutOpportunities;
}

/** Never where a session without the rule could do harm, and never against its owner's word. */
function mayDoWithout({ level, origin }: TrialRule, policy: Policy["distil"]): boolean {
  return policy.holdOut && origin !== "owner" && level !== "deny";
}

/** From 0 to below 1, evenly: names that differ in one letter must not fall together, so the hash is stirred once more. */
function shareOf(text: string): number {
  const hash = hashText(text);
  let bits = Number.parseInt(hash.slice(0, 8), 16) ^ Number.parseInt(hash.slice(8), 16);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0x1_0000_0000;
}
