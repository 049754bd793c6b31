import { hashText } from "../../lib/hash.ts";
import type { Policy } from "../policy.ts";
import type { Level } from "./rule.ts";

export interface Holdable {
  readonly id: string;
  readonly level: Level;
  /** Kept from harm at any price: a built-in guard, or what the owner approved as one. */
  readonly safety: boolean;
  /** How many opportunities are to be expected while the comparison lasts. */
  readonly expectedOpportunities: number;
}

/**
 * Whether this session does without this rule, as its control. The same answer every time, and for each rule another
 * choice of sessions, so that what sessions have in common does not look like an effect.
 */
export function heldOut(rule: Holdable, session: string, policy: Policy["distil"]): boolean {
  return mayHoldOut(rule, policy) && shareOf(`${rule.id} ${session}`) < 1 / policy.holdOutOneIn;
}

/** Never where a session without the rule could do harm, and not where the comparison would never come to an end. */
export function mayHoldOut(rule: Holdable, policy: Policy["distil"]): boolean {
  if (!policy.holdOut || rule.safety || rule.level === "deny") return false;
  return rule.expectedOpportunities >= policy.holdOutOpportunities;
}

/** From 0 to below 1, evenly: names that differ in one letter must not fall together, so the hash is stirred once more. */
function shareOf(text: string): number {
  const hash = hashText(text);
  let bits = Number.parseInt(hash.slice(0, 8), 16) ^ Number.parseInt(hash.slice(8), 16);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 0x1_0000_0000;
}
