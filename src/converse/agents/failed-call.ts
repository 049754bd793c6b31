import type { ModelFailure } from "../../domain/model/failure.ts";
import { type ErrorCode, OldhandError } from "../../lib/errors.ts";
import type { GatewayAnswer } from "../../models/gateway/gateway.ts";
import { requireUnderCap } from "../../models/gateway/require-under-cap.ts";

/** Throws an error if the call has no answer: a cap stopped it, it failed, or the caller aborted it. */
export function requireAnswered(answer: GatewayAnswer): void {
  const { outcome, failure } = answer;
  if (outcome === "ok" || outcome === "cached") return;
  if (outcome === "aborted") throw new OldhandError("stopped", "the call was stopped");
  requireUnderCap(answer);
  throw new OldhandError(codeOf(failure), `no model answered: ${failure?.message ?? "unknown failure"}`, {
    hint: `oldhand models usage --json lists the latest calls with their attempts; this one is ${answer.call}`,
  });
}

function codeOf(failure: ModelFailure | null): ErrorCode {
  if (failure?.kind === "auth" || failure?.kind === "no-such-model") return "config";
  if (failure?.kind === "too-long" || failure?.kind === "bad-request") return "input";
  return failure?.kind === "refused" ? "refused" : "unreachable";
}
