import type { Policy } from "../policy.ts";
import { wilsonLower } from "../proof/wilson.ts";
import type { RuleInPlay } from "./rule.ts";

/** What came of the calls that a rule warns against. */
export interface HoldEvidence {
  readonly failed: number;
  readonly worked: number;
  /** Of the failures, those in sessions since the rule was proposed. */
  readonly failedSince: number;
}

/** Whether a rule is sure enough to hold a call once: a hold of a call that would have worked costs a call. */
export function mayHold(
  rule: Pick<RuleInPlay, "status" | "level">,
  { failed, worked, failedSince }: HoldEvidence,
  policy: Policy["distil"],
): boolean {
  if (rule.level !== "nudge") return false;
  if (rule.status !== "approved" && failedSince === 0) return false;
  return wilsonLower(failed, failed + worked) >= policy.holdPrecision;
}

/** What was put before one agent of a session at its calls, about one rule. */
export interface SaidAtCall {
  readonly at: number;
  readonly isHold: boolean;
  /** The name of what was called, and with what. */
  readonly call: string | null;
}

/**
 * A rule holds once: what was said at a call before is known, and the repeat passes. Equal calls of one batch are held
 * together, because their model has not read the first hold when it makes the others.
 */
export function isHoldLeft(said: readonly SaidAtCall[], call: string, now: number): boolean {
  const [first] = said;
  return first === undefined || (first.isHold && first.call === call && now - first.at < TOGETHER_MS);
}

/** Hardly a model answers sooner, and calls of one batch come further apart only on a busy machine. One that comes later runs. */
const TOGETHER_MS = 1_000;
