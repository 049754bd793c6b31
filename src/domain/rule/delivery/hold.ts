import type { Policy } from "../../policy.ts";
import { CHARACTERS_PER_TOKEN, estimateTokens } from "../../advice/context-window.ts";
import { wilsonLower } from "../../proof/wilson.ts";
import { renderHoldMessage, renderRuleMessage } from "../../text/rule-message-text.ts";
import type { Delivery } from "./delivery.ts";
import type { ActiveRule } from "../rule.ts";

/** The summed cost of failures. Unrecorded cost counts as zero. */
export interface FailureCost {
  /** The number of failures with a recorded cost. */
  readonly failures: number;
  /** The characters they printed. */
  readonly characters: number;
  /** How long they ran. */
  readonly ms: number;
  /** The calls between each failure and what worked instead. */
  readonly calls: number;
}

/** The outcomes of the calls that a rule warns against. */
export interface HoldEvidence {
  readonly failed: number;
  /** Calls that worked, or failed for another cause. */
  readonly worked: number;
  /** The failures in sessions since the rule was proposed. */
  readonly failedSince: number;
  readonly cost: FailureCost;
  /** The sessions that got the rule by each delivery, and how many followed it. */
  readonly deliveries: readonly { readonly delivery: Delivery; readonly sessions: number; readonly kept: number }[];
}

/**
 * Whether a rule holds the call or comes with its result, and what decided it: its level, its evidence, or the cost of
 * a hold.
 */
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

/**
 * What a hold saves compared with a note that comes with the failure, and what it costs, in tokens per matching call.
 */
export interface HoldWorth {
  readonly saves: number;
  readonly costs: number;
  /** The cost of one failure: its output, its run time, and the calls that it still causes when explained. */
  readonly failure: number;
}

/**
 * An agent that follows a hold avoids the failure. One that does not, or that was right, makes one more call. The rule
 * is read in both cases: a hold's text is only a little longer than a note's.
 */
export function computeHoldWorth({ failed, worked, cost, deliveries }: HoldEvidence): HoldWorth {
  const right = (failed + 1) / (failed + worked + 2);
  const saved = right * followed(deliveries, "hold");
  const each = (sum: number) => (cost.failures === 0 ? 0 : sum / cost.failures);
  const lostCalls = each(cost.ms) / CALL_MS + (1 - followed(deliveries, "note")) * each(cost.calls);
  const failure = each(cost.characters) / CHARACTERS_PER_TOKEN + lostCalls * CALL_TOKENS;
  return { saves: saved * failure, costs: (1 - saved) * CALL_TOKENS + LONGER, failure };
}

/**
 * The cost of one more call. A model writes about a hundred tokens for it, each as expensive as five read tokens, and
 * reads its context again from the cache, at a tenth of the price. A printed token is read again with every later call,
 * so it counts several times too. About five seconds pass between two calls.
 */
export const CALL_TOKENS = 1_000;
export const CALL_MS = 5_000;

/** How much longer a hold's text is than a note's, in tokens. */
const LONGER = estimateTokens(renderHoldMessage("", "")) - estimateTokens(renderRuleMessage("", ""));

/** The share of sessions that follow this delivery: the observed ones, plus five assumed sessions. */
function followed(tallies: HoldEvidence["deliveries"], delivery: "hold" | "note"): number {
  const { sessions = 0, kept = 0 } = tallies.find((one) => one.delivery === delivery) ?? {};
  return (kept + ASSUMED * ASSUMED_SHARE[delivery]) / (sessions + ASSUMED);
}

const ASSUMED = 5;
const ASSUMED_SHARE = { hold: 0.9, note: 0.95 } as const;

/** A message that one agent of a session was shown at a call, about one rule. */
export interface CallNotice {
  readonly at: number;
  readonly isHold: boolean;
  /** The tool and its input, as text; null once the host has reported the refused call to the model. */
  readonly call: string | null;
}

/**
 * A rule holds once; the repeated call passes. Equal calls of one batch are all held, because the model has not read
 * the first hold when it makes the others. `arrivedAt`: null if the host says when a batch has ended, which closes its holds.
 */
export function canStillHold(notices: readonly CallNotice[], call: string, arrivedAt: number | null): boolean {
  const [first] = notices;
  if (first === undefined) return true;
  return first.isHold && first.call === call && (arrivedAt === null || arrivedAt - first.at < TOGETHER_MS);
}

/**
 * Payloads do not say which calls are of one batch. oldhand's own agent knows it, and Claude Code reports the end of a batch,
 * which closes its holds.
 * Elsewhere only the time tells: a model needs longer than this to read a refusal and to write its call again, and a
 * busy machine may need nearly as long to get from one call of a batch to the next. What counts is when a hook's process
 * started. A repeat that is quicker is refused once more, and the next one passes.
 */
const TOGETHER_MS = 300;
