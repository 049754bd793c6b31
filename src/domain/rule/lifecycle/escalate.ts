import { plural } from "../../../lib/text.ts";
import type { Policy } from "../../policy.ts";
import { type Level, levels } from "../rule.ts";

export interface EscalatingRule {
  readonly text: string;
  readonly level: Level;
  readonly salience: number;
  /** A rule without a matcher (from the ledger) cannot stop a call; a new mistake of its pattern breaks it. */
  readonly hasMatcher: boolean;
}

export type EscalationResult =
  | { readonly kind: "unchanged"; readonly reason: string }
  | {
      readonly kind: "raised";
      readonly level: Level;
      readonly salience: number;
      readonly text: string;
      readonly reason: string;
    };

/**
 * Raises the level of a rule that was broken often enough since it was promoted or last raised, but never above what
 * its evidence allows.
 */
export function escalateRule(
  rule: EscalatingRule,
  broken: { readonly sinceRise: number; readonly inAll: number; readonly ceiling: Level },
  policy: Policy["distil"],
): EscalationResult {
  if (broken.sinceRise < policy.violationsToEscalate) {
    return {
      kind: "unchanged",
      reason: `broken ${plural(broken.sinceRise, "time")} since the last rise; ${policy.violationsToEscalate} raise the level`,
    };
  }
  const ceiling = rule.hasMatcher ? broken.ceiling : lower(broken.ceiling, "advise");
  const next = levels[levels.indexOf(rule.level) + 1] ?? rule.level;
  const level = levels.indexOf(rule.level) >= levels.indexOf(ceiling) ? rule.level : lower(next, ceiling);
  const times = plural(broken.inAll, "time");
  return {
    kind: "raised",
    level,
    salience: Math.min(1, rule.salience + policy.salienceStep),
    text: `${stripBreachCount(rule.text)} (Broken ${times} so far.)`,
    reason:
      level === rule.level
        ? `broken ${times}; its evidence allows at most ${ceiling}`
        : `broken ${times}: from ${rule.level} to ${level}`,
  };
}

/** The rule's sentence without the appended count of breaches. */
export function stripBreachCount(text: string): string {
  return text.replace(/ \(Broken [\d,]+ times? so far\.\)$/, "");
}

function lower(a: Level, b: Level): Level {
  return levels.indexOf(a) < levels.indexOf(b) ? a : b;
}
