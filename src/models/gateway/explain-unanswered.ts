import { explainFailures } from "../../domain/model/explain-failures.ts";
import type { ModelFailure, ModelFailureKind } from "../../domain/model/failure.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { formatDollars } from "../../domain/model/money.ts";
import type { ErrorCode } from "../../lib/errors.ts";
import { listLeftOut } from "./choose-models.ts";
import type { GatewayAnswer } from "./gateway.ts";

/** Why a failed call has no answer: every model with its failure, and what to do. The same words and the same code on every surface. */
export function explainUnanswered(
  answer: GatewayAnswer,
  surface: "chat" | "ask" | "serve" | "cycle" | null = null,
): {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
} {
  const { failure, failures, remedies, unstored } = answer;
  const known = failures.length === 0 && failure !== null ? [{ model: answer.model, failure }] : failures;
  const others = answer.isPinned ? [allowOthers[surface ?? "ask"]] : [];
  // One failure is in the message already.
  const attempts = known.length > 1 ? [`every attempt: oldhand models call ${answer.call}`] : [];
  return {
    code: codeOf(known.filter(({ isUntried }) => isUntried !== true).map((one) => one.failure)),
    message: `no model answered. ${[explainFailures(known), ...listOthers(answer)].join("; ")}${explainUnstored(answer)}`,
    hint: [...remedies, ...others, ...(unstored === null ? attempts : ["oldhand doctor checks the store"])].join("; "),
  };
}

/** Only the named model was called. */
const allowOthers = {
  ask: "or let another model answer: --fallback",
  chat: "or let another model answer: /model auto",
  serve: "or let another model answer: choose the model auto",
  cycle: "or let another model answer: name none",
} as const;

/** The models that could not be chosen at all. */
function listOthers({ route, failures }: GatewayAnswer): readonly string[] {
  const named = failures.map(({ model }) => `${formatModelRef(model)} `);
  return listLeftOut(route)
    .filter((line) => !named.some((name) => line.startsWith(name)))
    .map((line) => line.replace(/\.$/, ""));
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
