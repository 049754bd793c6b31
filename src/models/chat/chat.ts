import type { ModelFailure } from "../../domain/model/failure.ts";
import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";

/** The small interface between oldhand and every provider. Nothing of a provider's SDK is visible outside `models/providers/`. */
export interface ChatProvider {
  readonly name: string;
  /** True if it runs on this machine: free, and secrets need no placeholders. */
  readonly isLoopback: boolean;
  /**
   * One step: the model's next message. The last event is `finish`; tool calls come right before it, so that no call of a
   * stream that breaks is run.
   * Throws a `ModelCallError` and nothing else; after `signal` aborts, its kind is `aborted`.
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
  /** The provider's own name of the model. */
  readonly model: string;
  readonly system?: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[] | undefined;
  readonly toolChoice?: "auto" | "none" | "required" | undefined;
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  readonly reasoning?: "off" | "low" | "medium" | "high" | undefined;
  /** Mark system prompt, tools and the history for the provider's prompt cache, where the provider needs marks. */
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
  /** What was used until the failure, as far as the provider said it: a stream that breaks is billed too. */
  readonly usage: TokenUsage;

  constructor(failure: ModelFailure, cause?: unknown, usage: TokenUsage = noUsage) {
    super(failure.message, cause === undefined ? undefined : { cause });
    this.name = "ModelCallError";
    this.failure = failure;
    this.usage = usage;
  }
}
