import type { Change } from "../domain/journal.ts";

/** Whether a change came of counting alone. Whoever runs these commands lets the laws decide; all else somebody decided. */
export function isByLaw({ cause }: Pick<Change, "cause">): boolean {
  return cause.kind === "operation" && laws.has(cause.id ?? "");
}

const laws: ReadonlySet<string> = new Set(["distil", "promote", "decay", "reinforce", "prove"]);
