import { isRecord } from "../../lib/json.ts";
import { embedWith } from "./embed-texts.ts";
import { fetchModelNames } from "./list-models.ts";
import type { ProviderOpener } from "./open-provider.ts";
import { sdkChat } from "./sdk-chat.ts";
import { wireFetch } from "./wire-fetch.ts";

/** Chat Completions, which many servers offer. */
export const openCompatible: ProviderOpener = async (endpoint, { fetch, limits }) => {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { name, url, key, isLoopback } = endpoint;
  const source = { provider: name, key };
  const sdk = createOpenAICompatible({
    name,
    baseURL: url,
    includeUsage: true,
    transformRequestBody: moveMarks,
    ...(key === null ? {} : { apiKey: key }),
    fetch: wireFetch({ ...source, fetch, expects: "events" }),
  });
  const chat = {
    ...source,
    limits,
    model: (id: string) => sdk.chatModel(id),
    cacheMark: markFor,
    cannotSwitchOff: name !== "openrouter",
  };
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  return {
    name,
    isLoopback,
    chat: (request, signal) => sdkChat(chat, request, signal),
    embed: embedWith(endpoint, { fetch, limits }),
    listModels: (signal) =>
      fetchModelNames(endpoint, { path: "/models", headers, list: "data", name: "id" }, { fetch, signal }),
  };
};

/** Anthropic's models need cache marks behind other services, such as OpenRouter, too. */
function markFor(model: string) {
  return /^anthropic\/|claude/i.test(model)
    ? { openaiCompatible: { cache_control: { type: "ephemeral" } } }
    : undefined;
}

/** OpenRouter reads the mark inside the content; the SDK writes it next to the content. */
function moveMarks(body: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(body["messages"])) return body;
  const messages = body["messages"].map((message: unknown) => {
    if (!isRecord(message) || typeof message["content"] !== "string") return message;
    const { cache_control, content, ...rest } = message;
    return cache_control === undefined
      ? message
      : { ...rest, content: [{ type: "text", text: content, cache_control }] };
  });
  return { ...body, messages };
}
