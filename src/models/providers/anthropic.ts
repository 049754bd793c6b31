import { limitThinking } from "./limit-thinking.ts";
import { fetchModelNames } from "./list-models.ts";
import type { ProviderOpener } from "./open-provider.ts";
import { sdkChat } from "./sdk-chat.ts";
import { wireFetch } from "./wire-fetch.ts";

const VERSION = "2023-06-01";
const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** The Messages API. */
export const openAnthropic: ProviderOpener = async (endpoint, { fetch, limits }) => {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const { name, url, key, isLoopback } = endpoint;
  const source = { provider: name, key };
  const sdk = createAnthropic({
    baseURL: url,
    apiKey: key ?? "none",
    fetch: limitThinking(wireFetch({ ...source, fetch, expects: "events" })),
  });
  const chat = { ...source, limits, model: (id: string) => sdk(id), cacheMark: () => mark };
  const headers = { "x-api-key": key ?? "none", "anthropic-version": VERSION };
  return {
    name,
    isLoopback,
    chat: (request, signal) => sdkChat(chat, request, signal),
    embed: null,
    listModels: (signal) =>
      fetchModelNames(endpoint, { path: "/models?limit=1000", headers, list: "data", name: "id" }, { fetch, signal }),
  };
};
