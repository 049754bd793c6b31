import type {
  LanguageModelV4,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import type { ChatEvent, ChatRequest } from "../chat/chat.ts";
import { type CollectedMessage, collectMessage } from "./collect-message.ts";
import { estimateUsage } from "./estimate-usage.ts";
import { type FailureSource, modelError, toModelError } from "./failures.ts";
import { toCallOptions, type ToCallOptions } from "./to-call-options.ts";
import { type TimeLimits, watchCall } from "./time-limits.ts";

export interface SdkChat extends FailureSource, ToCallOptions {
  readonly model: (name: string) => LanguageModelV4;
  readonly limits: TimeLimits;
}

/** One call through the AI SDK: one request, no retry. */
export async function* sdkChat(sdk: SdkChat, request: ChatRequest, caller: AbortSignal): AsyncGenerator<ChatEvent> {
  const watch = watchCall(sdk, caller, sdk.limits);
  const state: StreamState = {
    collected: collectMessage(),
    model: request.model,
    usage: noUsage,
    isUsageWhole: false,
    calls: [],
    signature: null,
  };
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | null = null;
  try {
    watch.signal.throwIfAborted();
    const options = { ...toCallOptions(request, sdk), abortSignal: watch.signal };
    const { stream } = await sdk.model(request.model).doStream(options);
    reader = stream.getReader();
    for (;;) {
      const { done, value: part } = await reader.read();
      watch.progress();
      if (done) throw modelError(sdk, "cut-off", "the stream ended too early");
      if (part.type === "finish") {
        if (part.usage.outputTokens.total !== undefined) {
          state.usage = toUsage(part.usage);
          state.isUsageWhole = true;
        }
        checkEnd(sdk, part.finishReason);
        void drain(reader);
        reader = null;
        yield* state.calls.map((call) => state.collected.addToolCall(parseCall(sdk, call)));
        yield finish(request, state, part);
        return;
      }
      const event = readPart(state, part);
      if (event !== null) yield event;
    }
  } catch (thrown) {
    throw toModelError(sdk, watch.stopped() ?? thrown, state.usage, state.isUsageWhole);
  } finally {
    watch.end();
    // The caller stopped reading, or something failed: tells the provider to stop.
    void reader?.cancel().catch(() => {});
  }
}

/** Reads the rest of the stream, so that the connection can be reused. */
async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), DRAIN_MS);
  timer.unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is already complete.
  } finally {
    clearTimeout(timer);
  }
}

const DRAIN_MS = 1_000;

interface StreamState {
  readonly collected: CollectedMessage;
  model: string;
  usage: TokenUsage;
  isUsageWhole: boolean;
  /** Passed on when the stream is complete: if it breaks, a call's input may be incomplete. */
  readonly calls: ToolCallPart[];
  /** A signature may arrive before the end of its reasoning, or with it. */
  signature: unknown;
}

function readPart(state: StreamState, part: LanguageModelV4StreamPart): ChatEvent | null {
  const { collected } = state;
  switch (part.type) {
    case "text-delta":
      return part.delta === "" ? null : collected.addText(part.delta);
    case "reasoning-delta":
      state.signature = part.providerMetadata ?? state.signature;
      return part.delta === "" ? null : collected.addReasoning(part.delta);
    case "reasoning-start":
      state.signature = part.providerMetadata ?? state.signature;
      return null;
    case "reasoning-end":
      collected.sealReasoning(part.providerMetadata ?? state.signature);
      state.signature = null;
      return null;
    case "tool-call":
      state.calls.push(part);
      return null;
    case "response-metadata":
      state.model = part.modelId ?? state.model;
      return null;
    case "custom":
      state.usage = earlyUsage(part.providerMetadata) ?? state.usage;
      return null;
    case "error":
      throw part.error;
    default:
      return null;
  }
}

type ToolCallPart = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>;

function parseCall(source: FailureSource, { toolCallId, toolName, input, providerMetadata }: ToolCallPart) {
  const parsed = input.trim() === "" ? {} : tryParseJson(input);
  if (parsed === undefined) throw modelError(source, "malformed", `the input of the tool ${toolName} is not JSON`);
  const opaque = providerMetadata === undefined ? {} : { opaque: providerMetadata };
  return { id: toolCallId, name: toolName, input: parsed, ...opaque };
}

function checkEnd(source: FailureSource, { unified }: LanguageModelV4FinishReason): void {
  if (unified === "interrupted") throw modelError(source, "cut-off", "the stream ended too early");
  if (unified === "error") throw modelError(source, "malformed", "the stream ended with an error");
}

function finish(
  request: ChatRequest,
  { collected, model }: StreamState,
  { finishReason, usage }: { finishReason: LanguageModelV4FinishReason; usage: LanguageModelV4Usage },
): ChatEvent {
  const message = collected.message();
  const used = usage.outputTokens.total === undefined ? estimateUsage(request, collected.characters()) : toUsage(usage);
  return { kind: "finish", reason: reasons[finishReason.unified], usage: used, message, model };
}

const reasons = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool-calls",
  "content-filter": "refused",
  other: "other",
  // `checkEnd` has refused these.
  interrupted: "other",
  error: "other",
} as const;

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage {
  return {
    in: inputTokens.total ?? 0,
    out: outputTokens.total ?? 0,
    cached: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
    reasoning: outputTokens.reasoning ?? 0,
  };
}

/** Anthropic reports the prompt's tokens first, and bills them even if the stream breaks. */
function earlyUsage(metadata: unknown): TokenUsage | null {
  const said = isRecord(metadata) ? metadata["anthropic"] : undefined;
  const usage = isRecord(said) ? said["usage"] : undefined;
  if (!isRecord(usage)) return null;
  const read = (name: string) => (typeof usage[name] === "number" ? usage[name] : 0);
  const cached = read("cache_read_input_tokens");
  const cacheWrite = read("cache_creation_input_tokens");
  return {
    in: read("input_tokens") + cached + cacheWrite,
    out: read("output_tokens"),
    cached,
    cacheWrite,
    reasoning: 0,
  };
}
