import { oneLine } from "../../lib/text.ts";
import type { Rule } from "../rule/rule.ts";
import { detectCause } from "./cause.ts";
import type { CauseKind } from "./patterns.ts";

/** How a cited failure is excerpted, and how any other is compared with it. */
export function excerptOf(error: string): string {
  return oneLine(error, 200);
}

/**
 * Whether a failure is of the cause that a mined rule was learned from: the one law by which its sentence, its level, its
 * backtest and all counts say that it was right. A rule whose own failures name no cause is right about any.
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
