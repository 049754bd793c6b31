import type { ModelRef } from "../../domain/model/model-ref.ts";
import { ModelCallError } from "../chat/chat.ts";
import { openProvider } from "./open-provider.ts";
import type { Endpoint, ProviderSettings } from "../../domain/model/endpoint.ts";
import { explainAddress, findEndpoint, listEndpoints, missingVariables } from "./registry.ts";

/** Whether a provider can be used now, and if not, why. */
export interface InspectedProvider extends Pick<Endpoint, "name" | "kind" | "url" | "isLoopback"> {
  readonly isUsable: boolean;
  /** Null if it can be used. */
  readonly why: string | null;
  /** The environment variables that oldhand reads for it. */
  readonly variables: readonly string[];
  /** The models of a server on this machine; null for other providers, which are not asked. */
  readonly models: readonly string[] | null;
}

/** A server on this machine that is running answers at once. */
const PROBE_MS = 1_000;

/** Asks servers on this machine for their models. For other providers it only checks the variables. */
export function inspectProviders(
  settings: ProviderSettings,
  fetch = globalThis.fetch,
): Promise<readonly InspectedProvider[]> {
  return Promise.all(listEndpoints(settings).map((endpoint) => inspectEndpoint(endpoint, settings, fetch)));
}

async function inspectEndpoint(
  endpoint: Endpoint,
  settings: ProviderSettings,
  fetch: typeof globalThis.fetch,
): Promise<InspectedProvider> {
  const { name, kind, url, isLoopback, keyEnv } = endpoint;
  const missing = missingVariables(endpoint, settings.env);
  const asked = {
    name,
    kind,
    url,
    isLoopback,
    variables: [...missing.flat(), ...keyEnv.filter((one) => !missing.flat().includes(one))],
  };
  if (missing.length > 0)
    return {
      ...asked,
      isUsable: false,
      why: `needs ${missing.map((names) => names.join(" or ")).join(" and ")}`,
      models: null,
    };
  const wrongAddress = explainAddress(endpoint);
  if (wrongAddress !== null) return { ...asked, isUsable: false, why: wrongAddress, models: null };
  if (!isLoopback) return { ...asked, isUsable: true, why: null, models: null };
  const provider = await openProvider(name, settings, { fetch, idleMs: PROBE_MS });
  try {
    const models = (await provider.listModels?.(AbortSignal.timeout(PROBE_MS))) ?? [];
    return { ...asked, isUsable: true, why: null, models };
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    const isThere = error.failure.status !== null;
    const why = isThere ? error.failure.message : `nothing answers at ${url ?? "its address"}`;
    return { ...asked, isUsable: false, why, models: null };
  }
}

/** Why a model cannot be used now; null if it can. Sends no request, so it cannot tell whether the provider has the model. */
export function explainUnusable(ref: ModelRef, settings: ProviderSettings): string | null {
  const endpoint = findEndpoint(ref.provider, settings);
  if (endpoint === null) return `needs the provider "${ref.provider}", which is unknown`;
  const missing = missingVariables(endpoint, settings.env);
  return missing.length === 0
    ? explainAddress(endpoint)
    : `needs ${missing.map((names) => names.join(" or ")).join(" and ")}`;
}

/** One sentence if a server on this machine answers and does not have the model; otherwise none. Other providers are not asked. */
export async function explainNotListed(
  { provider, model }: ModelRef,
  settings: ProviderSettings,
): Promise<readonly string[]> {
  const endpoint = findEndpoint(provider, settings);
  if (endpoint === null || !endpoint.isLoopback) return [];
  const { models } = await inspectEndpoint(endpoint, settings, globalThis.fetch);
  if (models === null || models.some((one) => one === model || one === `${model}:latest`)) return [];
  const has = models.length === 0 ? "it has none" : `it has ${models.slice(0, 8).join(", ")}`;
  return [`${provider} does not have the model ${model}: ${has}`];
}

/** A hint that names a model of a server on this machine. Null if no such server is running. */
export async function suggestLocalModels(settings: ProviderSettings): Promise<string | null> {
  const all = await inspectProviders(settings);
  const [found] = all.filter(({ isLoopback, models }) => isLoopback && (models ?? []).length > 0);
  const model = found?.models?.[0];
  return found === undefined || model === undefined
    ? null
    : `${found.name} runs on this machine: oldhand models add ${found.name}/${model}`;
}
