import type { Change } from "../journal.ts";
import type { Rule } from "./rule.ts";

/** Whether a change came of counting alone. Whoever runs these commands lets the laws decide; all else somebody decided. */
export function isByLaw({ cause }: Pick<Change, "cause">): boolean {
  return cause.kind === "operation" && laws.has(cause.id ?? "");
}

/** Whether the words that it has now are somebody's, and not the laws'. */
export function isReworded(changes: readonly Change<Rule>[]): boolean {
  const worded = changes.findLast(({ before, after }) => before?.text !== after?.text);
  return worded !== undefined && !isByLaw(worded);
}

const laws: ReadonlySet<string> = new Set(["distil", "promote", "decay", "reinforce", "prove"]);
