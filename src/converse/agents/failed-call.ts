import { explainFailures } from "../../domain/model/explain-failures.ts";
import { formatDollars } from "../../domain/model/money.ts";
import type { ModelFailure, ModelFailureKind } from "../../domain/model/failure.ts";
import { type ErrorCode, OldhandError } from "../../lib/errors.ts";
import type { GatewayAnswer } from "../../models/gateway/gateway.ts";
import { requireUnderCap } from "../../models/gateway/require-under-cap.ts";

/** Throws an error if the call has no answer: a cap stopped it, it failed, or the caller aborted it. */
export function requireAnswered(answer: GatewayAnswer): void {
  const { outcome, failure, failures, unstored } = answer;
  if (outcome === "ok" || outcome === "cached") return;
  if (outcome === "aborted") throw new OldhandError("stopped", "the call was stopped");
  requireUnderCap(answer);
  const known = failures.length === 0 && failure !== null ? [{ model: answer.model, failure }] : failures;
  throw new OldhandError(
    codeOf(known.map((one) => one.failure)),
    `no model answered. ${explainFailures(known)}${explainUnstored(answer)}`,
    {
      hint:
        unstored === null
          ? `oldhand models call ${answer.call} shows every attempt`
          : "oldhand doctor checks the store",
    },
  );
}

function explainUnstored({ unstored, cost }: GatewayAnswer): string {
  return unstored === null ? "" : ` The call could not be stored (${unstored}); it cost about ${formatDollars(cost)}`;
}

/** The code that fits every failure; `unanswered` if they differ. */
function codeOf(failures: readonly ModelFailure[]): ErrorCode {
  const codes = new Set(failures.map(({ kind }) => codeByKind[kind] ?? "unanswered"));
  const [only = "unanswered"] = codes;
  return codes.size === 1 ? only : "unanswered";
}

const codeByKind: Partial<Readonly<Record<ModelFailureKind, ErrorCode>>> = {
  auth: "config",
  "no-such-model": "config",
  "too-long": "input",
  "bad-request": "input",
  refused: "refused",
  unreachable: "unreachable",
};
