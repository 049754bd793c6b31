import { fetchModelNames } from "./list-models.ts";
import type { ProviderOpener } from "./open-provider.ts";
import { sdkChat } from "./sdk-chat.ts";
import { sdkEmbed } from "./sdk-embed.ts";
import { wireFetch } from "./wire-fetch.ts";

/** Chat Completions, as many servers speak them. */
export const openCompatible: ProviderOpener = async (endpoint, { fetch, limits }) => {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { name, url, key, isLoopback } = endpoint;
  const source = { provider: name, key };
  const open = (expects: "events" | "json") =>
    createOpenAICompatible({
      name,
      baseURL: url,
      includeUsage: true,
      ...(key === null ? {} : { apiKey: key }),
      fetch: wireFetch({ ...source, fetch, expects }),
    });
  const [streaming, plain] = [open("events"), open("json")];
  const chat = { ...source, limits, model: (id: string) => streaming.chatModel(id), cacheMark: markFor };
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  return {
    name,
    isLoopback,
    chat: (request, signal) => sdkChat(chat, request, signal),
    embed: (model, texts, signal) => sdkEmbed({ ...source, limits, model: plain.embeddingModel(model) }, texts, signal),
    listModels: (signal) =>
      fetchModelNames(endpoint, { path: "/models", headers, list: "data", name: "id" }, { fetch, signal }),
  };
};

/** Anthropic's models need marks also where another service passes them on, as OpenRouter does. */
function markFor(model: string) {
  return /^anthropic\/|claude/i.test(model)
    ? { openaiCompatible: { cache_control: { type: "ephemeral" } } }
    : undefined;
}
