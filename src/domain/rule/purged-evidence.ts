import type { Evidence, Rule } from "./rule.ts";

export type CitedCall = Evidence["refs"][number];

/** Without the calls that were purged. */
export function removePurgedCalls(evidence: Evidence, isPurged: (ref: CitedCall) => boolean): Evidence {
  const refs = evidence.refs.filter((ref) => !isPurged(ref));
  return refs.length === evidence.refs.length ? evidence : { ...evidence, refs };
}

/** The rule stays with its counts, and says that some of what it was learned from is gone. */
export function markPurged(rule: Rule, count: number): Rule {
  return { ...rule, evidence: { ...rule.evidence, purged: (rule.evidence.purged ?? 0) + count } };
}

/** Nothing that it was learned from is left. */
export function isLearnedOnlyFrom(rule: Pick<Rule, "evidence">, isPurged: (ref: CitedCall) => boolean): boolean {
  return rule.evidence.refs.length > 0 && rule.evidence.refs.every(isPurged);
}
