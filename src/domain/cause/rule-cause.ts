import { oneLine } from "../../lib/text.ts";
import type { Rule } from "../rule/rule.ts";
import { detectCause } from "./cause.ts";
import type { CauseKind } from "./patterns.ts";

/** The excerpt of a cited failure. Other failures are shortened the same way to be compared with it. */
export function excerptOf(error: string): string {
  return oneLine(error, 200);
}

/**
 * Returns a test whether a failure has the cause that a mined rule was learned from. Sentence, level, backtest and all
 * counts use it to decide whether the rule was right. If the rule's own failures name no cause, any failure counts.
 */
export function newCauseCheck(
  rule: Pick<Rule, "origin" | "matcher"> & { readonly evidence: Pick<Rule["evidence"], "refs"> },
): (error: string) => boolean {
  const { origin, matcher, evidence } = rule;
  const tool = matcher?.tool === "shell" ? "bash" : (matcher?.tool ?? "");
  const kindOf = (excerpt: string): CauseKind | null => detectCause({ tool, input: null }, excerpt)?.kind ?? null;
  const kinds = new Set(origin === "tool" ? evidence.refs.map((ref) => kindOf(ref.excerpt)) : []);
  if ([...kinds].every((kind) => kind === null)) return () => true;
  return (error) => kinds.has(kindOf(excerptOf(error)));
}
