import { fetchModelNames } from "./list-models.ts";
import type { ProviderOpener } from "./open-provider.ts";
import { sdkChat } from "./sdk-chat.ts";
import { sdkEmbed } from "./sdk-embed.ts";
import { wireFetch } from "./wire-fetch.ts";

/** Gemini's generateContent. */
export const openGoogle: ProviderOpener = async (endpoint, { fetch, limits }) => {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  const { name, url, key, isLoopback } = endpoint;
  const source = { provider: name, key };
  const open = (expects: "events" | "json") =>
    createGoogleGenerativeAI({ baseURL: url, apiKey: key ?? "none", fetch: wireFetch({ ...source, fetch, expects }) });
  const [streaming, plain] = [open("events"), open("json")];
  const chat = { ...source, limits, model: (id: string) => streaming(id) };
  const headers = { "x-goog-api-key": key ?? "none" };
  return {
    name,
    isLoopback,
    chat: (request, signal) => sdkChat(chat, request, signal),
    embed: (model, texts, signal) => sdkEmbed({ ...source, limits, model: plain.embedding(model) }, texts, signal),
    listModels: async (signal) => {
      const listing = { path: "/models?pageSize=1000", headers, list: "models", name: "name" };
      const names = await fetchModelNames(endpoint, listing, { fetch, signal });
      return names.map((one) => one.replace(/^models\//, ""));
    },
  };
};
