import type { Policy } from "../policy.ts";
import { CHARACTERS_PER_TOKEN, estimateTokens } from "../advice/context-window.ts";
import { wilsonLower } from "../proof/wilson.ts";
import { renderHoldMessage, renderRuleMessage } from "../text/rule-message-text.ts";
import type { Delivery } from "./delivery.ts";
import type { ActiveRule } from "./rule.ts";

/** What failures cost, summed up. What nobody recorded is zero: unknown counts as cheap. */
export interface FailureCost {
  /** Of how many failures it was recorded. */
  readonly failures: number;
  /** What they printed. */
  readonly characters: number;
  /** How long they ran. */
  readonly ms: number;
  /** The calls between each failure and what worked instead. */
  readonly calls: number;
}

/** What came of the calls that a rule warns against. */
export interface HoldEvidence {
  readonly failed: number;
  /** Those that worked, or failed of another cause. */
  readonly worked: number;
  /** Of the failures, those in sessions since the rule was proposed. */
  readonly failedSince: number;
  readonly cost: FailureCost;
  /** The sessions that were told the rule in each way, and how many of them kept to it. */
  readonly deliveries: readonly { readonly delivery: Delivery; readonly sessions: number; readonly kept: number }[];
}

/** Whether a rule holds a call or comes with its result, and why: by its level, its evidence, or what a hold would cost. */
export type HoldJudgement =
  | { readonly kind: "level" | "not live" | "unsure"; readonly holds: false }
  | ({ readonly kind: "worth"; readonly holds: boolean } & HoldWorth);

export function judgeHold(
  rule: Pick<ActiveRule, "status" | "level">,
  evidence: HoldEvidence,
  policy: Policy["distil"],
): HoldJudgement {
  const { failed, worked, failedSince } = evidence;
  if (rule.level !== "nudge") return { kind: "level", holds: false };
  if (wilsonLower(failed, failed + worked) < policy.holdPrecision) return { kind: "unsure", holds: false };
  if (rule.status !== "approved" && failedSince === 0) return { kind: "not live", holds: false };
  const worth = computeHoldWorth(evidence);
  return { kind: "worth", holds: worth.saves > worth.costs, ...worth };
}

/** What a hold saves against a note that comes with the failure, and what it costs more, in tokens per call that matches. */
export interface HoldWorth {
  readonly saves: number;
  readonly costs: number;
  /** What one failure cost: what it printed, how long it ran, and what a failure that was explained still leads to. */
  readonly failure: number;
}

/**
 * Who does what a hold says saves the failure. Who does not, or was right all along, makes one call more. Either way the rule
 * is read: a hold's text is only a little longer than a note's.
 */
export function computeHoldWorth({ failed, worked, cost, deliveries: told }: HoldEvidence): HoldWorth {
  const right = (failed + 1) / (failed + worked + 2);
  const saved = right * followed(told, "hold");
  const each = (sum: number) => (cost.failures === 0 ? 0 : sum / cost.failures);
  const lostCalls = each(cost.ms) / CALL_MS + (1 - followed(told, "note")) * each(cost.calls);
  const failure = each(cost.characters) / CHARACTERS_PER_TOKEN + lostCalls * CALL_TOKENS;
  return { saves: saved * failure, costs: (1 - saved) * CALL_TOKENS + LONGER, failure };
}

/**
 * What one more call costs. A model writes about a hundred tokens for it, each costs as much as five that it reads, and reads its
 * context again from the cache, at a tenth of the price. A token that is printed is read again with every later call: so it
 * counts several times as well. Between two calls about five seconds go by.
 */
export const CALL_TOKENS = 1_000;
export const CALL_MS = 5_000;

/** How much longer a hold's text is than a note's. */
const LONGER = estimateTokens(renderHoldMessage("", "")) - estimateTokens(renderRuleMessage("", ""));

/** The share of sessions that do what they are told in this way: what was seen, on top of five sessions that are assumed. */
function followed(tallies: HoldEvidence["deliveries"], delivery: "hold" | "note"): number {
  const { sessions = 0, kept = 0 } = tallies.find((one) => one.delivery === delivery) ?? {};
  return (kept + ASSUMED * ASSUMED_SHARE[delivery]) / (sessions + ASSUMED);
}

const ASSUMED = 5;
const ASSUMED_SHARE = { hold: 0.9, note: 0.95 } as const;

/** What was put before one agent of a session at its calls, about one rule. */
export interface CallNotice {
  readonly at: number;
  readonly isHold: boolean;
  /** The name of what was called, and with what. */
  readonly call: string | null;
}

/**
 * A rule holds once: what was said at a call before is known, and the repeat passes. Equal calls of one batch are held
 * together, because their model has not read the first hold when it makes the others.
 */
export function canStillHold(notices: readonly CallNotice[], call: string, now: number): boolean {
  const [first] = notices;
  return first === undefined || (first.isHold && first.call === call && now - first.at < TOGETHER_MS);
}

/** Hardly a model answers sooner, and calls of one batch come further apart only on a busy machine. One that comes later runs. */
const TOGETHER_MS = 1_000;
