import { OldhandError } from "../../lib/errors.ts";
import { explainUnanswered } from "../../models/gateway/explain-unanswered.ts";
import type { GatewayAnswer } from "../../models/gateway/gateway.ts";
import { requireUnderCap } from "../../models/gateway/require-under-cap.ts";

/** Throws an error if the call has no answer: a cap stopped it, it failed, or the caller aborted it. */
export function requireAnswered(answer: GatewayAnswer): void {
  const { outcome } = answer;
  if (outcome === "ok" || outcome === "cached") return;
  if (outcome === "aborted") throw new OldhandError("stopped", "the call was stopped");
  requireUnderCap(answer);
  const { code, message, hint } = explainUnanswered(answer);
  throw new OldhandError(code, message, { hint, call: answer.call });
}
