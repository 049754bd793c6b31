import type { Change } from "../journal.ts";
import type { Rule } from "./rule.ts";

/** True if an operation that only applies counts made the change, whoever ran it. Others were decided by someone. */
export function isByLaw({ cause }: Pick<Change, "cause">): boolean {
  return cause.kind === "operation" && laws.has(cause.id ?? "");
}

/** True if its current text was written by someone, not by maintenance. */
export function isReworded(changes: readonly Change<Rule>[]): boolean {
  const worded = changes.findLast(({ before, after }) => before?.text !== after?.text);
  return worded !== undefined && !isByLaw(worded);
}

const laws: ReadonlySet<string> = new Set(["distil", "promote", "decay", "reinforce", "prove"]);
