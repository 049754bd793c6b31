import type { CapHit } from "../../domain/model/caps.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import type { ModelChoice } from "./choose-models.ts";
import type { FailedModel, GatewayRequest } from "./gateway.ts";
import type { Attempt } from "./send-attempt.ts";

/** A call under way. */
export interface RunningCall {
  readonly id: string;
  readonly at: number;
  readonly request: GatewayRequest;
  readonly complexity: Complexity;
  readonly choice: ModelChoice;
  readonly attempts: Attempt[];
  /** Sentences about what happened after the choice. */
  readonly notes: string[];
  readonly failures: FailedModel[];
  /** If the answer is from the response cache: the call that wrote it. */
  readonly repeats?: string | undefined;
  /** The first model that did not fit under a cap, if any. */
  capped: { readonly model: ModelRef; readonly cap: CapHit } | null;
  /** How many of the failures the events have named. */
  reported: number;
}

export function wasSent({ attempts }: RunningCall): boolean {
  return attempts.some(({ isSent }) => isSent);
}

export const abortedFailure: ModelFailure = {
  kind: "aborted",
  status: null,
  retryAfterMs: null,
  message: "the caller stopped the call",
};
