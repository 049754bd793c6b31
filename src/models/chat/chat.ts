import type { ModelFailure } from "../../domain/model/failure.ts";
import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";

/** The interface between oldhand and every provider. The SDKs are visible only in `models/providers/`. */
export interface ChatProvider {
  readonly name: string;
  /** True if it runs on this machine: free, and secrets need no placeholders. */
  readonly isLoopback: boolean;
  /**
   * Returns the model's next message as a stream. The last event is `finish`. Tool calls come right before it, so that a stream
   * that breaks yields no tool call.
   * Throws only `ModelCallError`; after `signal` aborts, its kind is `aborted`.
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** One vector for each text. Null if the provider has no embeddings. */
  readonly embed: ((model: string, texts: readonly string[], signal: AbortSignal) => Promise<Embeddings>) | null;
  /** Null if the provider cannot list its models. */
  readonly listModels: ((signal: AbortSignal) => Promise<readonly string[]>) | null;
}

export interface Embeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: TokenUsage;
}

export interface ChatRequest {
  /** The model's name at the provider. */
  readonly model: string;
  readonly system?: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[] | undefined;
  readonly toolChoice?: "auto" | "none" | "required" | undefined;
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  readonly reasoning?: "off" | "low" | "medium" | "high" | undefined;
  /** Mark the system prompt, the tools and the history for the prompt cache, if the provider needs such marks. */
  readonly promptCache?: boolean | undefined;
}

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly ChatPart[];
}

export type ChatPart =
  | { readonly kind: "text"; readonly text: string }
  /** `opaque` is the provider's signature; it goes back unchanged with the next request. */
  | { readonly kind: "reasoning"; readonly text: string; readonly opaque: unknown }
  | {
      readonly kind: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly opaque?: unknown;
    }
  | {
      readonly kind: "tool-result";
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    };

export type ChatEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "tool-call"; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly kind: "finish";
      readonly reason: "stop" | "length" | "tool-calls" | "refused" | "other";
      readonly usage: TokenUsage;
      /** The whole message, to be sent back with the next request. */
      readonly message: ChatMessage;
      /** The model that answered, as the provider names it. */
      readonly model: string;
    };

/** The only error that a provider throws. */
export class ModelCallError extends Error {
  readonly failure: ModelFailure;
  /** The usage before the failure, as far as the provider reported it. Providers also bill streams that break. */
  readonly usage: TokenUsage;
  /** The usage is that of the whole answer: the provider reported it at the end, and the answer is of no use. */
  readonly isUsageWhole: boolean;

  constructor(failure: ModelFailure, cause?: unknown, usage: TokenUsage = noUsage, isUsageWhole = false) {
    super(failure.message, cause === undefined ? undefined : { cause });
    this.name = "ModelCallError";
    this.failure = failure;
    this.usage = usage;
    this.isUsageWhole = isUsageWhole;
  }
}
