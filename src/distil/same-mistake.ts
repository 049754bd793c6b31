import type { Rule } from "../domain/rule/rule.ts";
import { callKey, type Proposal } from "./proposal.ts";

/**
 * The rules that a proposal explains better: most of the calls that they cite are among those that it was made of. The pair
 * of a failing and a working command is found before the cause is, and the usual spelling of a command may change with time.
 */
export function sameMistake(proposal: Proposal, rules: readonly Rule[]): readonly Rule[] {
  const { calls } = proposal;
  if (calls === undefined) return [];
  return rules.filter(({ origin, matcher, status, evidence }) => {
    if (origin !== proposal.origin || matcher === null || status === "merged") return false;
    return evidence.refs.filter((ref) => calls.has(callKey(ref))).length * 2 > evidence.refs.length;
  });
}
