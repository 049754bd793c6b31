import type { ModelRef } from "../../domain/model/model-ref.ts";
import { ModelCallError } from "../chat/chat.ts";
import { openProvider } from "./open-provider.ts";
import type { Endpoint, ProviderSettings } from "../../domain/model/endpoint.ts";
import { findEndpoint, listEndpoints, missingVariables } from "./registry.ts";

/** Whether a provider can be used now, and if not, why. */
export interface InspectedProvider extends Pick<Endpoint, "name" | "kind" | "url" | "isLoopback"> {
  readonly isUsable: boolean;
  /** Null if it can be used. */
  readonly why: string | null;
  /** The environment variables that are looked for. */
  readonly variables: readonly string[];
  /** What a server on this machine offers; null for the others, which are not asked. */
  readonly models: readonly string[] | null;
}

/** A server on this machine answers at once, or it is not there. */
const PROBE_MS = 1_000;

/** Servers on this machine are asked for their models; the others are only looked up. */
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

/** Why a model cannot be used now; null if it can. Nobody is asked: what a server offers is known after the call. */
export function explainUnusable(ref: ModelRef, settings: ProviderSettings): string | null {
  const endpoint = findEndpoint(ref.provider, settings);
  if (endpoint === null) return `there is no provider "${ref.provider}"`;
  const missing = missingVariables(endpoint, settings.env);
  return missing.length === 0 ? null : `needs ${missing.map((names) => names.join(" or ")).join(" and ")}`;
}

/** What to do without a key, if servers on this machine offer models: a sentence for a hint. Null if there is none. */
export async function suggestLocalModels(settings: ProviderSettings): Promise<string | null> {
  const all = await inspectProviders(settings);
  const [found] = all.filter(({ isLoopback, models }) => isLoopback && (models ?? []).length > 0);
  const model = found?.models?.[0];
  return found === undefined || model === undefined
    ? null
    : `${found.name} runs on this machine: oldhand models add ${found.name}/${model}`;
}
