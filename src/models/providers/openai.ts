import { fetchModelNames } from "./list-models.ts";
import type { ProviderOpener } from "./open-provider.ts";
import { sdkChat } from "./sdk-chat.ts";
import { sdkEmbed } from "./sdk-embed.ts";
import { wireFetch } from "./wire-fetch.ts";

/** Nothing is kept at OpenAI, so reasoning goes back encrypted with the next request. */
const options = { openai: { store: false, reasoningSummary: "auto" } };

/** The Responses API. */
export const openOpenAi: ProviderOpener = async (endpoint, { fetch, limits }) => {
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { name, url, key, isLoopback } = endpoint;
  const source = { provider: name, key };
  const open = (expects: "events" | "json") =>
    createOpenAI({ baseURL: url, apiKey: key ?? "none", fetch: wireFetch({ ...source, fetch, expects }) });
  const [streaming, plain] = [open("events"), open("json")];
  const chat = { ...source, limits, model: (id: string) => streaming.responses(id), options };
  const headers = { authorization: `Bearer ${key ?? "none"}` };
  return {
    name,
    isLoopback,
    chat: (request, signal) => sdkChat(chat, request, signal),
    embed: (model, texts, signal) => sdkEmbed({ ...source, limits, model: plain.embedding(model) }, texts, signal),
    listModels: (signal) =>
      fetchModelNames(endpoint, { path: "/models", headers, list: "data", name: "id" }, { fetch, signal }),
  };
};
