import type { ModelRef } from "../../domain/model/model-ref.ts";
import type { CapHit } from "../../domain/model/caps.ts";
import type { CallOutcome, QualitySource } from "../../domain/model/call-row.ts";
import type { ModelFailure } from "../../domain/model/failure.ts";
import type { TokenUsage } from "../../domain/model/usage.ts";
import type { Complexity } from "../../domain/route/tally.ts";
import type { Db } from "../../store/engine/db.ts";
import type { ChatEvent, ChatMessage, ChatRequest } from "../chat/chat.ts";

/** Routes a model call, reserves its cost, sends it, heals failures, settles the cost, and stores the call as one row. */
export interface Gateway {
  /** Returns the whole answer. A call that failed or that a cap stopped is a value, not an exception. */
  complete(request: GatewayRequest): Promise<GatewayAnswer>;
  /** The events of the attempt that answers, then one `end`. */
  stream(request: GatewayRequest): AsyncIterable<GatewayEvent>;
  /**
   * Replaces every secret by a redaction mark, so that the value may be stored: also one that only another part of the value, or
   * an earlier call of the session, gave away.
   */
  redact<T>(scope: Pick<GatewayRequest, "agent" | "session">, value: T): Promise<T>;
  /**
   * Records how good a call was, according to a check, a person or a heuristic. The router learns from it. Returns the call that
   * it counts for: if the cache repeated an answer, the one that wrote it.
   */
  recordQuality(
    call: string,
    quality: { readonly quality: number; readonly source: QualitySource; readonly note?: string | undefined },
  ): Promise<string>;
}

export interface GatewayRequest {
  /** The name of the calling agent, for caps and statistics. */
  readonly agent: string;
  readonly session?: string | undefined;
  readonly job?: string | undefined;
  readonly goal?: string | undefined;
  readonly taskType: string;
  /** Default: the complexity of the task type. */
  readonly complexity?: Complexity | undefined;
  readonly chat: Omit<ChatRequest, "model">;
  /** Makes the chat that is sent in place of `chat`, if the response cache has no answer. With `cacheBy` only. */
  readonly makeChat?: (() => Promise<Omit<ChatRequest, "model">>) | undefined;
  /** Use this model, and no other unless `mayUseOthers`. */
  readonly model?: ModelRef | undefined;
  /** With `model`: others may follow if it fails. */
  readonly mayUseOthers?: boolean | undefined;
  /** Try `model` once, also if its provider is not called now: no other model, no repetition. The router learns nothing from it. */
  readonly isTest?: boolean | undefined;
  readonly preferredProvider?: string | undefined;
  /** In dollars: if `spent` and the most that this call can cost exceed it, the call is not made. */
  readonly costLimit?: { readonly limit: number; readonly spent: number; readonly name: string } | undefined;
  /** A check will find a failure, so a cheap model may go first. */
  readonly checked?: boolean | undefined;
  /** Models that failed this task, according to a check. */
  readonly failed?: readonly ModelRef[] | undefined;
  /** Use the response cache. Default: false. Requests with tools are never cached. */
  readonly useResponseCache?: boolean | undefined;
  /** The response cache compares this instead of the chat. For callers that add to the chat what changes with every call. */
  readonly cacheBy?: unknown;
  /** Another attempt may start over even after the first part of an answer. The stream then has a `restart` event. */
  readonly mayRestart?: boolean | undefined;
  /**
   * What the caller keeps of an answer, in a transaction: that of the row if the answer cost nothing, because it is from the
   * cache; else one of its own, so that what was paid is stored in any case.
   */
  readonly keepAnswer?: ((tx: Db, answer: GatewayAnswer) => Promise<void>) | undefined;
  /** The caller checks tool calls itself and tells the model what is wrong. Otherwise a call of an unknown tool, or without a required input, is a failed attempt. */
  readonly acceptsBadToolCalls?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type GatewayEvent =
  | ChatEvent
  /** Another attempt begins; discard all earlier events. Only with `mayRestart`. */
  | { readonly kind: "restart"; readonly from: ModelRef; readonly to: ModelRef; readonly failure: ModelFailure }
  /** An attempt begins; `after` is what failed or was skipped since the last one. */
  | {
      readonly kind: "attempt";
      readonly number: number;
      readonly model: ModelRef;
      readonly after: readonly FailedModel[];
    }
  /** The same model is called again after this time. */
  | {
      readonly kind: "wait";
      /** Of the attempt that failed. */
      readonly number: number;
      readonly model: ModelRef;
      readonly ms: number;
      readonly failure: ModelFailure;
    }
  /** Before the first event of an answer: a model answers in place of another. `text` says why, and if it costs money now. */
  | { readonly kind: "instead"; readonly model: ModelRef; readonly text: string; readonly costsMoney: boolean }
  | { readonly kind: "end"; readonly answer: GatewayAnswer };

/** A model that gave no answer, with its last failure. */
export interface FailedModel {
  readonly model: ModelRef;
  readonly failure: ModelFailure;
  /** It was not called, because its provider failed before. */
  readonly isHeldBack?: true | undefined;
  /** It was not called, because the call ended before. The failure is that which ended it. */
  readonly isUntried?: true | undefined;
  /** From this failure on, it is left out of all routes. */
  readonly isLeftOut?: true | undefined;
}

export interface GatewayAnswer {
  /** The id of the row in `model_calls`. */
  readonly call: string;
  readonly outcome: CallOutcome;
  readonly failure: ModelFailure | null;
  /** Every model that was tried or skipped without an answer, with its last failure; in this order. */
  readonly failures: readonly FailedModel[];
  /** What a person can do about the failures, as ends of a sentence. */
  readonly remedies: readonly string[];
  /** The caller named the model and allowed no other. */
  readonly isPinned: boolean;
  readonly text: string;
  /** The text as it may be stored: a redaction mark stands for each secret that was put back. */
  readonly storedText: string;
  readonly message: ChatMessage | null;
  readonly model: ModelRef;
  /** Of all attempts. */
  readonly usage: TokenUsage;
  /** Of the last attempt. */
  readonly lastUsage: TokenUsage;
  readonly cost: number;
  /** The answer ends at the request's `maxTokens`, not at its own end. */
  readonly isCut: boolean;
  readonly cached: boolean;
  readonly healed: boolean;
  readonly route: readonly string[];
  readonly ms: number;
  /** Why the call is not stored yet, although it was sent; null if it is. */
  readonly unstored: string | null;
  /** If the outcome is `capped`: the cap, and the command that extends it. */
  readonly cap: CapHit | null;
}
