import { plural } from "../../../lib/text.ts";
import { wilsonLower } from "../../proof/wilson.ts";
import type { Policy } from "../../policy.ts";
import { type HoldEvidence, judgeHold } from "./hold.ts";
import { isFromUserWords } from "../backing.ts";
import { type Evidence, isSpeaking, type Rule } from "../rule.ts";

/** How a rule is delivered with a call that it warns against, and why, for its owner. */
export interface ExplainedDelivery {
  readonly delivery: "note" | "hold";
  readonly reason: string;
}

/** Only for rules at `nudge`; null otherwise, because other levels say it themselves. */
export function explainDelivery(
  rule: Pick<Rule, "status" | "level" | "matcher" | "signature" | "origin" | "evidence">,
  evidence: HoldEvidence,
  policy: Pick<Policy, "distil" | "recall">,
): ExplainedDelivery | null {
  if (rule.matcher === null || !isSpeaking(rule) || rule.level !== "nudge") return null;
  if (!policy.recall.holdCalls) return { delivery: "note", reason: "recall.holdCalls is false" };
  const judged = judgeHold(rule, evidence, policy.distil);
  switch (judged.kind) {
    case "level":
      return null;
    case "unsure":
      return { delivery: "note", reason: explainAsked(rule) ?? unsure(evidence, policy.distil) };
    case "not live":
      return { delivery: "note", reason: "it is not approved, and the call has not failed since it was proposed" };
    case "worth": {
      if (evidence.cost.failures === 0)
        return { delivery: "note", reason: "the cost of a failure is unknown, so it counts as cheap" };
      if (judged.holds && rule.status !== "approved" && rule.origin === "tool" && !isSure(rule.evidence.remedy))
        return { delivery: "note", reason: "it is not approved, and its error neither names nor shows what is right" };
      return judged.holds
        ? { delivery: "hold", reason: "a failed call costs more than a refused one" }
        : { delivery: "note", reason: "a failed call costs less than a refused one" };
    }
  }
}

/** What a user asked for need not fail to be right. */
function explainAsked(rule: Pick<Rule, "signature" | "evidence">): string | null {
  return isFromUserWords(rule) ? `you asked for it in ${plural(rule.evidence.sessions, "session")}` : null;
}

function isSure(remedy: Evidence["remedy"]): boolean {
  return remedy?.origin === "named" || remedy?.origin === "correction";
}

function unsure({ failed, worked }: HoldEvidence, { holdPrecision }: Policy["distil"]): string {
  if (failed + worked === 0) return "no matching call was counted yet";
  let needed = failed;
  while (needed < MOST_NEEDED && wilsonLower(needed, needed + worked) < holdPrecision) needed++;
  const wanted = needed === MOST_NEEDED ? `more than ${MOST_NEEDED}` : `${needed} of ${needed + worked}`;
  return `${failed} of ${failed + worked} calls failed; a hold needs ${wanted}`;
}

const MOST_NEEDED = 1_000;
