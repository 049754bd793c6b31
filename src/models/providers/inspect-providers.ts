import { formatModelRef, type ModelRef } from "../../domain/model/model-ref.ts";
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
const NOTHING_ANSWERS = "nothing answers at";

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
    const why = isThere ? error.failure.message : `${NOTHING_ANSWERS} ${url ?? "its address"}`;
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

/** The models of a server on this machine. Null if it does not answer, or for another provider, which is not asked. */
export async function listLocalModels(provider: string, settings: ProviderSettings): Promise<readonly string[] | null> {
  const endpoint = findEndpoint(provider, settings);
  if (endpoint === null || !endpoint.isLoopback) return null;
  return (await inspectEndpoint(endpoint, settings, globalThis.fetch)).models;
}

/** Why a server cannot be used now, and what to do; null if it answers, or if it is another provider, which is not asked. */
export async function explainSilent(provider: string, settings: ProviderSettings): Promise<string | null> {
  const endpoint = findEndpoint(provider, settings);
  if (endpoint === null || !endpoint.isLoopback) return null;
  const { why } = await inspectEndpoint(endpoint, settings, globalThis.fetch);
  if (why === null) return null;
  const check = why.startsWith(NOTHING_ANSWERS)
    ? "the address, or start the server"
    : (endpoint.keyEnv[0] ?? "the address");
  return `${why}. Check ${check}`;
}

/** A hint that names a model of a server on this machine. Null if no such server is running. */
export async function suggestLocalModels(settings: ProviderSettings): Promise<string | null> {
  const all = await inspectProviders(settings);
  const found = all.flatMap(({ name, isLoopback, models }) =>
    isLoopback ? (models ?? []).map((model) => ({ name, text: formatModelRef({ provider: name, model }) })) : [],
  );
  const own = settings.models.map(formatModelRef);
  const added = found.find(({ text }) => own.includes(text));
  if (added !== undefined)
    return `${added.text} runs on this machine: oldhand models default ${added.text} makes it the default`;
  const [first] = found;
  return first === undefined ? null : `${first.name} runs on this machine: oldhand models add ${first.text}`;
}
