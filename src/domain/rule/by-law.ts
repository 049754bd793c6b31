import type { Change } from "../journal.ts";
import type { Rule } from "./rule.ts";

/** True if an operation that only applies counts made the change, whoever ran it. Others were decided by someone. */
export function isByLaw({ cause }: Pick<Change, "cause">): boolean {
  return cause.kind === "operation" && laws.has(cause.id ?? "");
}

/**
 * True if the change only follows from an earlier decision: a count, or the use of an override by a call. It goes when
 * the decision is undone.
 */
export function followsFrom(later: Pick<Change, "cause">, decision: Pick<Change, "cause">): boolean {
  const isOfUse = ({ cause }: Pick<Change, "cause">) => cause.kind === "operation" && cause.id === USE_OF_OVERRIDE;
  return (isByLaw(later) || isOfUse(later)) && !isByLaw(decision) && !isOfUse(decision);
}

/** The operation by which a call uses an override. */
export const USE_OF_OVERRIDE = "before-call";

/** True if its current text was written by someone, not by maintenance. */
export function isReworded(changes: readonly Change<Rule>[]): boolean {
  const worded = changes.findLast(({ before, after }) => before?.text !== after?.text);
  return worded !== undefined && !isByLaw(worded);
}

const laws: ReadonlySet<string> = new Set(["distil", "promote", "decay", "reinforce", "prove"]);
