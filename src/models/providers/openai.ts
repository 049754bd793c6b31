import { embedWith } from "./embed-texts.ts";
import { fetchModelNames } from "./list-models.ts";
import type { ProviderOpener } from "./open-provider.ts";
import { sdkChat } from "./sdk-chat.ts";
import { wireFetch } from "./wire-fetch.ts";

/** OpenAI stores nothing, so the next request must send the encrypted reasoning back. */
const options = { openai: { store: false, reasoningSummary: "auto" } };

/** The Responses API. */
export const openOpenAi: ProviderOpener = async (endpoint, { fetch, limits }) => {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { name, url, key, isLoopback } = endpoint;
  const source = { provider: name, key };
  const sdk = createOpenAI({
    baseURL: url,
    apiKey: key ?? "none",
    fetch: wireFetch({ ...source, fetch, expects: "events" }),
  });
  const chat = { ...source, limits, model: (id: string) => sdk.responses(id), options };
  const headers = { authorization: `Bearer ${key ?? "none"}` };
  return {
    name,
    isLoopback,
    chat: (request, signal) => sdkChat(chat, request, signal),
    embed: embedWith(endpoint, { fetch, limits }),
    listModels: (signal) =>
      fetchModelNames(endpoint, { path: "/models", headers, list: "data", name: "id" }, { fetch, signal }),
  };
};
