import type { Rule } from "../../domain/rule/rule.ts";
import { stableJson } from "../../lib/json.ts";
import { callKey, type Proposal } from "./proposal.ts";

/**
 * Of proposals made from the same failing calls, keeps the best. A call is examined under each of its heads:
 * `sh tools/push.sh` counts for `push.sh` and for `sh`.
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

/** True if most calls of a proposal are calls of a better one. */
export function isOfSameCalls({ calls = new Set(), scope }: Proposal, better: Proposal): boolean {
  const shared = [...calls].filter((key) => better.calls?.has(key) === true).length;
  return stableJson(scope) === stableJson(better.scope) && shared * 2 > calls.size;
}

/** The more precise one; if equal, the one with fewer conditions. */
function isBetter(one: Proposal, than: Proposal): boolean {
  const lower = (one.backtest?.lower ?? 0) - (than.backtest?.lower ?? 0);
  return lower > 0 || (lower === 0 && conditionsOf(one) < conditionsOf(than));
}

function conditionsOf({ matcher }: Proposal): number {
  return (matcher?.has?.length ?? 0) + (matcher?.lacks?.length ?? 0);
}

/** True if two rules cite mostly the same calls and have the same scope. */
export function citeTheSame(one: Rule, other: Rule): boolean {
  const cited = ({ evidence }: Rule) => new Set(evidence.refs.map(callKey));
  return stableJson(one.scope) === stableJson(other.scope) && areMostlyTheSame(cited(one), cited(other));
}

function areMostlyTheSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const both = [...one].filter((key) => other.has(key)).length;
  return both * 2 > Math.max(one.size, other.size);
}

/**
 * The rules that a proposal replaces: most calls they cite are among its calls. A pair of a failing and a
 * working command may be found before the cause, and the usual spelling of a command may change over time.
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
 * True if a candidate with the proposal's matcher came from other failures: the calls now fail for another
 * cause. An id keeps its subject, so the other cause becomes another candidate. A decided rule covers both.
 */
export function isOfOtherCause({ calls, origin }: Proposal, rule: Rule): boolean {
  if (rule.status !== "candidate" || rule.pinned || rule.origin !== origin) return false;
  return calls !== undefined && rule.evidence.refs.length > 0 && share(calls, rule) * 2 <= 1;
}

/** The share of a rule's cited calls that are among these, 0 to 1. */
function share(calls: ReadonlySet<string> | undefined, { evidence }: Rule): number {
  return evidence.refs.filter((ref) => calls?.has(callKey(ref))).length / evidence.refs.length;
}
