import type { Evidence, Rule } from "../rule.ts";

export type CitedCall = Evidence["refs"][number];

/** The evidence without purged calls. */
export function removePurgedCalls(evidence: Evidence, isPurged: (ref: CitedCall) => boolean): Evidence {
  const refs = evidence.refs.filter((ref) => !isPurged(ref));
  return refs.length === evidence.refs.length ? evidence : { ...evidence, refs };
}

/** The rule keeps its counts, and records how many cited calls were purged. */
export function markPurged(rule: Rule, count: number): Rule {
  return { ...rule, evidence: { ...rule.evidence, purged: (rule.evidence.purged ?? 0) + count } };
}

/** True if all calls it was learned from are purged. */
export function isLearnedOnlyFrom(rule: Pick<Rule, "evidence">, isPurged: (ref: CitedCall) => boolean): boolean {
  return rule.evidence.refs.length > 0 && rule.evidence.refs.every(isPurged);
}
