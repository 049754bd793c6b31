import { atLeastPercent } from "../../../lib/percent.ts";
import { wilsonLower } from "../../proof/wilson.ts";
import { computeAllowedLevel, softerLevel, type BacktestTally } from "../promote.ts";
import type { Policy } from "../../policy.ts";
import { type Rule, silentLevel, isSpeaking } from "../rule.ts";

export interface RecountResult {
  readonly after: Rule;
  readonly reason: string;
}

/**
 * Updates a mined rule after more calls: corrects the count in its sentence and, after calls that worked, lowers its
 * level to what the counts still allow, if only maintenance decided on it. Null if nothing changes. What new failures
 * say besides is left to the miners, which then also improve conditions and remedies.
 */
export function recountRule(
  rule: Rule,
  tally: BacktestTally,
  { isDecided }: { readonly isDecided: boolean },
  policy: Policy["distil"],
): RecountResult | null {
  const countInText = readFailureCount(rule.text);
  const fired = tally.hits + tally.falseAlarms;
  if (countInText === null) return null;
  const isWorse = tally.falseAlarms > countInText.fired - countInText.failed;
  if (!isWorse && tally.hits <= countInText.failed) return null;
  const text = rule.text.replace(COUNT, `(failed ${tally.hits} of ${fired})`);
  const counted = `${tally.hits} of ${fired} calls failed`;
  if (isDecided || !isWorse)
    return isWorthSaying(rule, countInText.fired, fired) ? { after: { ...rule, text }, reason: counted } : null;
  const lower = wilsonLower(tally.hits, fired);
  const level = softerLevel(rule.level, computeAllowedLevel(tally, policy).level);
  if (level === rule.level && !isWorthSaying(rule, countInText.fired, fired)) return null;
  // Approved and silent means that the owner muted it. A rule approved only by maintenance becomes a candidate instead.
  const status = level === silentLevel && rule.status === "approved" ? "candidate" : rule.status;
  const confidence = status === "candidate" ? Number(lower.toFixed(4)) : rule.confidence;
  const fallen = level === rule.level ? "" : `: from ${rule.level} to ${level}`;
  return {
    after: { ...rule, text, level, status, confidence },
    reason: `${counted}, at least ${atLeastPercent(lower)}${fallen}`,
  };
}

/** For a silent rule, not every call is worth a journal entry. */
function isWorthSaying(rule: Rule, before: number, now: number): boolean {
  return isSpeaking(rule) || now * 10 >= before * 11;
}

const COUNT = /\(failed (\d+) of (\d+)\)/;

export function readFailureCount(text: string): { readonly failed: number; readonly fired: number } | null {
  const found = COUNT.exec(text);
  return found === null ? null : { failed: Number(found[1]), fired: Number(found[2]) };
}

/** The sentence without its count, for comparisons. */
export function stripFailureCount(text: string): string {
  return text.replace(COUNT, "");
}
