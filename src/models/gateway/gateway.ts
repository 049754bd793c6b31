import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { CapHit } from "../../domain/model/caps.ts";
import type { CallOutcome, QualitySource } from "../../domain/model/call-row.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import type { TokenUsage } from "../../domain/model/usage.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import type { ChatEvent, ChatMessage, ChatRequest } from "../chat/chat.ts";

/** Every model call of oldhand goes through here: routed, reserved, sent, healed, settled, and stored as one row. */
export interface Gateway {
  /** Collects the stream. A call that fails after all attempts, or meets a cap, is a value and not an exception. */
  complete(request: GatewayRequest): Promise<GatewayAnswer>;
  /** The events of the attempt that answers, then one `end`. */
  stream(request: GatewayRequest): AsyncIterable<GatewayEvent>;
  /** What became of a call: a check, a person or a heuristic says how good it was. The router learns from it. */
  recordQuality(
    call: string,
    quality: { readonly quality: number; readonly source: QualitySource; readonly note?: string | undefined },
  ): Promise<void>;
}

export interface GatewayRequest {
  /** Who calls: an agent's name. Caps and statistics go by it. */
  readonly agent: string;
  readonly session?: string | undefined;
  readonly job?: string | undefined;
  readonly goal?: string | undefined;
  readonly taskType: string;
  /** Without it, the default of the task type. */
  readonly complexity?: Complexity | undefined;
  readonly chat: Omit<ChatRequest, "model">;
  /** The caller chose this model: no routing. Healing may still use the chain, unless `isExact`. */
  readonly model?: ModelRef | undefined;
  readonly isExact?: boolean | undefined;
  readonly preferredProvider?: string | undefined;
  /** A check will tell whether the task failed; then a cheap model may go first. */
  readonly checked?: boolean | undefined;
  /** Models that failed this task, by a check. */
  readonly failed?: readonly ModelRef[] | undefined;
  /** Use the response cache; off unless true. Requests with tools are never cached. */
  readonly useResponseCache?: boolean | undefined;
  /** What makes two requests equal for the response cache; the chat itself if left out. A caller that adds to the chat what changes from call to call says here what counts. */
  readonly cacheBy?: unknown;
  /** After the first byte of an answer, another attempt may start over. The stream then has a `restart` event. */
  readonly mayRestart?: boolean | undefined;
  /** The caller checks tool calls itself and tells the model what is wrong. Otherwise a call of an unknown tool, or without a required input, is a failed attempt. */
  readonly acceptsBadToolCalls?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type GatewayEvent =
  | ChatEvent
  /** What came before it is void: another attempt begins. Only with `mayRestart`. */
  | { readonly kind: "restart"; readonly from: ModelRef; readonly to: ModelRef; readonly failure: ModelFailure }
  | { readonly kind: "end"; readonly answer: GatewayAnswer };

export interface GatewayAnswer {
  /** The id of the row in `model_calls`. */
  readonly call: string;
  readonly outcome: CallOutcome;
  readonly failure: ModelFailure | null;
  readonly text: string;
  readonly message: ChatMessage | null;
  readonly model: ModelRef;
  readonly usage: TokenUsage;
  readonly cost: number;
  readonly cached: boolean;
  readonly healed: boolean;
  readonly route: readonly string[];
  readonly ms: number;
  /** For `capped`: which cap, and the command that extends it. */
  readonly cap: CapHit | null;
}
