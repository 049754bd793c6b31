import type { Rule } from "../domain/rule/rule.ts";
import { callKey, type Proposal } from "./proposal.ts";

/**
 * The rules that a proposal explains better: most of the calls that they cite are among those that it was made of. The pair
 * of a failing and a working command is found before the cause is, and the usual spelling of a command may change with time.
 */
export function sameMistake(proposal: Proposal, rules: readonly Rule[]): readonly Rule[] {
  if (proposal.calls === undefined) return [];
  return rules.filter(
    (rule) =>
      rule.origin === proposal.origin &&
      rule.matcher !== null &&
      rule.status !== "merged" &&
      share(proposal.calls, rule) * 2 > 1,
  );
}

/**
 * Whether a candidate that warns against the very calls of a proposal was made of other failures: the calls fail for another
 * cause by now. An id keeps its subject, so that the other cause is another candidate. What was decided on stands for both.
 */
export function isOfOtherCause({ calls, origin }: Proposal, rule: Rule): boolean {
  if (rule.status !== "candidate" || rule.pinned || rule.origin !== origin) return false;
  return calls !== undefined && rule.evidence.refs.length > 0 && share(calls, rule) * 2 <= 1;
}

/** How many of the calls that a rule cites are among these. */
function share(calls: ReadonlySet<string> | undefined, { evidence }: Rule): number {
  return evidence.refs.filter((ref) => calls?.has(callKey(ref))).length / evidence.refs.length;
}
