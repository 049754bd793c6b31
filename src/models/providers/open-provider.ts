import { OldhandError } from "../../lib/errors.ts";
import { findNearestName } from "../../lib/nearest.ts";
import type { ChatProvider } from "../chat/chat.ts";
import type { EndpointKind } from "../../domain/model/endpoint.ts";
import type { Endpoint, ProviderSettings } from "../../domain/model/endpoint.ts";
import { findEndpoint, keyOf, listEndpoints, missingVariables } from "./registry.ts";
import { defaultLimits, type TimeLimits } from "./time-limits.ts";

export interface OpenProviderOptions extends Partial<TimeLimits> {
  readonly fetch?: typeof fetch;
}

/** An endpoint with its address and its key. */
export interface OpenEndpoint extends Endpoint {
  readonly url: string;
  readonly key: string | null;
}

/** Opens an endpoint; each API has a file that exports one. */
export type ProviderOpener = (
  endpoint: OpenEndpoint,
  options: { readonly fetch: typeof fetch; readonly limits: TimeLimits },
) => Promise<ChatProvider>;

/** Loads only the SDK of this provider. Throws if a variable that it needs is not set; the error names it. */
export async function openProvider(
  name: string,
  settings: ProviderSettings,
  { fetch = globalThis.fetch, ...limits }: OpenProviderOptions = {},
): Promise<ChatProvider> {
  const endpoint = findEndpoint(name, settings);
  if (endpoint === null) throw unknownProvider(name, settings);
  const missing = missingVariables(endpoint, settings.env);
  const { url } = endpoint;
  if (missing.length > 0 || url === null) throw missingKey(name, missing);
  const open = await openers[endpoint.kind]();
  const key = keyOf(endpoint, settings.env);
  return open({ ...endpoint, url, key }, { fetch, limits: { ...defaultLimits, ...limits } });
}

const openers: Readonly<Record<EndpointKind, () => Promise<ProviderOpener>>> = {
  anthropic: async () => (await import("./anthropic.ts")).openAnthropic,
  openai: async () => (await import("./openai.ts")).openOpenAi,
  google: async () => (await import("./google.ts")).openGoogle,
  ollama: async () => (await import("./ollama.ts")).openOllama,
  "openai-compatible": async () => (await import("./openai-compatible.ts")).openCompatible,
};

function unknownProvider(name: string, settings: ProviderSettings): OldhandError {
  const names = listEndpoints(settings).map((one) => one.name);
  const near = findNearestName(name, names);
  return new OldhandError("config", `there is no provider "${name}"`, {
    hint: `${near === null ? "" : `did you mean ${near}? `}known: ${names.join(", ")}; oldhand models add ${name} --url URL adds an endpoint`,
  });
}

function missingKey(name: string, missing: readonly (readonly string[])[]): OldhandError {
  const needed = missing.map((names) => names.join(" or ")).join(", and ");
  return new OldhandError("config", `${name} needs the environment variable ${needed}`, {
    hint: `keys are read from the environment only; oldhand models list shows what can be used now`,
  });
}
