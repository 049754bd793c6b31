import type { TokenUsage } from "../../domain/model/usage.ts";
import { isRecord } from "../../lib/json.ts";

/** Anthropic Messages: `input_tokens` does not include the tokens of the prompt cache. */
export function readMessagesUsage(value: unknown): TokenUsage | null {
  if (!isRecord(value) || !("input_tokens" in value || "output_tokens" in value)) return null;
  const cached = count(value["cache_read_input_tokens"]);
  const cacheWrite = count(value["cache_creation_input_tokens"]);
  const cacheWrite1h = count(inside(value["cache_creation"], "ephemeral_1h_input_tokens"));
  return {
    in: count(value["input_tokens"]) + cached + cacheWrite,
    out: count(value["output_tokens"]),
    cached,
    cacheWrite,
    ...(cacheWrite1h > 0 ? { cacheWrite1h } : {}),
    reasoning: count(inside(value["output_tokens_details"], "thinking_tokens")),
  };
}

/** OpenAI Chat Completions, also those of OpenRouter and Ollama. */
export function readChatUsage(value: unknown): TokenUsage | null {
  if (!isRecord(value) || !("prompt_tokens" in value)) return null;
  const details = value["prompt_tokens_details"];
  return {
    in: count(value["prompt_tokens"]),
    out: count(value["completion_tokens"]),
    cached: count(inside(details, "cached_tokens")),
    cacheWrite: count(inside(details, "cache_write_tokens")),
    reasoning: count(inside(value["completion_tokens_details"], "reasoning_tokens")),
  };
}

/** OpenAI Responses. */
export function readResponsesUsage(value: unknown): TokenUsage | null {
  if (!isRecord(value) || !("input_tokens" in value)) return null;
  return {
    in: count(value["input_tokens"]),
    out: count(value["output_tokens"]),
    cached: count(inside(value["input_tokens_details"], "cached_tokens")),
    cacheWrite: count(inside(value["input_tokens_details"], "cache_write_tokens")),
    reasoning: count(inside(value["output_tokens_details"], "reasoning_tokens")),
  };
}

function inside(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
