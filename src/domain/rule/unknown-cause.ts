import { plural } from "../../lib/text.ts";
import type { Rule } from "./rule.ts";

/** True if a mined rule only says that calls fail, and not why. It is a count for the owner, and no proposal. */
export function isOfUnknownCause({ origin, text }: Pick<Rule, "origin" | "text">): boolean {
  return origin === "tool" && /^(?:Find out why|Unknown cause:) /.test(text);
}

/** True if the owner is asked to decide on the rule. */
export function waitsForReview(rule: Pick<Rule, "status" | "origin" | "text">): boolean {
  return rule.status === "candidate" && !isOfUnknownCause(rule);
}

/** Candidates that are no proposals. */
export function countUnexplained(rules: readonly Pick<Rule, "status" | "origin" | "text">[]): number {
  return rules.filter((rule) => rule.status === "candidate" && isOfUnknownCause(rule)).length;
}

/** One line about them; none if there are none. */
export function unexplainedLines(unknown: number): readonly string[] {
  if (unknown === 0) return [];
  return [
    `${plural(unknown, "call")} ${unknown === 1 ? "fails" : "fail"} repeatedly for a reason that oldhand does not recognise: oldhand report`,
  ];
}
