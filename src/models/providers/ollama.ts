import { randomUUID } from "node:crypto";
import { noUsage, type TokenUsage } from "../../domain/model/usage.ts";
import { isRecord } from "../../lib/json.ts";
import type { ChatEvent, ChatProvider, ChatRequest } from "../chat/chat.ts";
import { collectMessage } from "./collect-message.ts";
import { readSaidError } from "./classify-error.ts";
import { embedWith } from "./embed-texts.ts";
import { estimateUsage } from "./estimate-usage.ts";
import { type FailureSource, modelError, saidError, toModelError } from "./failures.ts";
import { fetchModelNames } from "./list-models.ts";
import type { OpenEndpoint, ProviderOpener } from "./open-provider.ts";
import { readJsonLines } from "./read-json-lines.ts";
import { type TimeLimits, watchCall } from "./time-limits.ts";
import { toOllamaRequest } from "./to-ollama-request.ts";
import { wireFetch } from "./wire-fetch.ts";

/**
 * Ollama's own API. Its OpenAI-compatible one cannot set the context size, and Ollama silently cuts a prompt that is longer than
 * the context.
 */
export const openOllama: ProviderOpener = async (endpoint, { fetch, limits }): Promise<ChatProvider> => {
  const { name, isLoopback } = endpoint;
  const asked = { endpoint, fetch, limits, source: { provider: name, key: endpoint.key } };
  return {
    name,
    isLoopback,
    chat: (request, signal) => chat(asked, request, signal),
    embed: embedWith(endpoint, { fetch, limits }),
    listModels: (signal) =>
      fetchModelNames(endpoint, { path: "/api/tags", list: "models", name: "name" }, { fetch, signal }),
  };
};

interface Asked {
  readonly endpoint: OpenEndpoint;
  readonly fetch: typeof fetch;
  readonly limits: TimeLimits;
  readonly source: FailureSource;
}

async function* chat(asked: Asked, request: ChatRequest, caller: AbortSignal): AsyncGenerator<ChatEvent> {
  const { source, limits } = asked;
  const watch = watchCall(source, caller, limits);
  const collected = collectMessage();
  const calls: Parameters<typeof collected.addToolCall>[0][] = [];
  try {
    const answer = await post(asked, request, watch.signal);
    for await (const line of readJsonLines(source, answer)) {
      watch.progress();
      if (line["error"] !== undefined)
        throw saidError(source, { status: null, ...readSaidError(line), retryAfterMs: null });
      const message = isRecord(line["message"]) ? line["message"] : {};
      if (isText(message["thinking"])) yield collected.addReasoning(message["thinking"]);
      if (isText(message["content"])) yield collected.addText(message["content"]);
      calls.push(...readCalls(source, message["tool_calls"]));
      if (line["done"] !== true) continue;
      // As with every provider, tool calls are passed on only when the stream is complete.
      yield* calls.map((call) => collected.addToolCall(call));
      const reason = calls.length > 0 ? "tool-calls" : line["done_reason"] === "length" ? "length" : "stop";
      const usage = readUsage(line, estimateUsage(request, collected.characters()));
      yield {
        kind: "finish",
        reason,
        usage,
        message: collected.message(),
        model: textOr(line["model"], request.model),
      };
      return;
    }
    throw modelError(source, "cut-off", "the stream ended too early");
  } catch (thrown) {
    throw toModelError(source, watch.stopped() ?? thrown);
  } finally {
    watch.end();
  }
}

function post({ endpoint, source, fetch }: Asked, request: ChatRequest, signal: AbortSignal): Promise<Response> {
  signal.throwIfAborted();
  const key = endpoint.key === null ? {} : { authorization: `Bearer ${endpoint.key}` };
  return wireFetch({ ...source, fetch, expects: "json-lines" })(`${endpoint.url}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", ...key },
    body: JSON.stringify(toOllamaRequest(request)),
    signal,
  });
}

/** Older versions give calls no id, and all versions give the input as an object. */
function readCalls(source: FailureSource, calls: unknown) {
  if (!Array.isArray(calls)) return [];
  return calls.map((one: unknown) => {
    const called = isRecord(one) ? one["function"] : undefined;
    if (!isRecord(called) || typeof called["name"] !== "string" || !isRecord(called["arguments"] ?? {}))
      throw modelError(source, "malformed", "a tool call does not follow the protocol");
    const id = isRecord(one) && isText(one["id"]) ? one["id"] : `call_${randomUUID()}`;
    return { id, name: called["name"], input: called["arguments"] ?? {} };
  });
}

function readUsage(line: Readonly<Record<string, unknown>>, estimated: TokenUsage): TokenUsage {
  const count = (name: string, otherwise: number) => (typeof line[name] === "number" ? line[name] : otherwise);
  return { ...noUsage, in: count("prompt_eval_count", estimated.in), out: count("eval_count", estimated.out) };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function textOr(value: unknown, otherwise: string): string {
  return isText(value) ? value : otherwise;
}
