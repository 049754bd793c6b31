import type { Rule } from "../../domain/rule/rule.ts";
import { stableJson } from "../../lib/json.ts";
import { callKey, type Proposal } from "./proposal.ts";

/**
 * Of proposals that were made of the same failing calls the better one. A call is looked at under each of its heads: `sh
 * tools/push.sh` is a call of `push.sh` and one of `sh`.
 */
export function oneOfEachMistake(proposals: readonly Proposal[]): readonly Proposal[] {
  const kept: Proposal[] = [];
  for (const one of proposals) {
    const at = kept.findIndex((other) => areTwins(one, other));
    const twin = kept[at];
    if (twin === undefined) kept.push(one);
    else if (isBetter(one, twin)) kept[at] = one;
  }
  return kept;
}

function areTwins(one: Proposal, other: Proposal): boolean {
  if (one.calls === undefined || other.calls === undefined || one.origin !== other.origin) return false;
  return stableJson(one.scope) === stableJson(other.scope) && areMostlyTheSame(one.calls, other.calls);
}

/** The one that is right more often; of equals the one with the fewer conditions. */
function isBetter(one: Proposal, than: Proposal): boolean {
  const lower = (one.backtest?.lower ?? 0) - (than.backtest?.lower ?? 0);
  return lower > 0 || (lower === 0 && conditionsOf(one) < conditionsOf(than));
}

function conditionsOf({ matcher }: Proposal): number {
  return (matcher?.has?.length ?? 0) + (matcher?.lacks?.length ?? 0);
}

/** Whether two rules cite mostly the same calls, and hold in the same place. */
export function citeTheSame(one: Rule, other: Rule): boolean {
  const cited = ({ evidence }: Rule) => new Set(evidence.refs.map(callKey));
  return stableJson(one.scope) === stableJson(other.scope) && areMostlyTheSame(cited(one), cited(other));
}

function areMostlyTheSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const both = [...one].filter((key) => other.has(key)).length;
  return both * 2 > Math.max(one.size, other.size);
}

/**
 * The rules that a proposal explains better: most of the calls that they cite are among those that it was made of. The pair
 * of a failing and a working command is found before the cause is, and the usual spelling of a command may change with time.
 */
export function findRulesOfSameMistake(proposal: Proposal, rules: readonly Rule[]): readonly Rule[] {
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
