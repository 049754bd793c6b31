import type { ProviderSettings } from "../../domain/model/endpoint.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { findNearestName } from "../../lib/nearest.ts";
import { findEndpoint, listEndpoints } from "./registry.ts";
import { listLocalModels } from "./inspect-providers.ts";

/** Parses a model that a person typed. Throws if the form is wrong or the provider is unknown. */
export function requireModelRef(typed: string, settings: ProviderSettings): ModelRef {
  const ref = parseModelRef(typed);
  if (ref === null)
    throw new OldhandError("usage", `"${typed}" is not a model`, {
      hint: `${suggestFullName(typed, settings)}write PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5; oldhand models list shows the providers`,
    });
  requireProvider(ref.provider, settings);
  return ref;
}

/** Throws if there is no such provider. */
export function requireProvider(name: string, settings: ProviderSettings): void {
  if (findEndpoint(name, settings) === null) throw noSuchProvider(name, settings);
}

export function noSuchProvider(name: string, settings: ProviderSettings): OldhandError {
  const names = listEndpoints(settings).map((one) => one.name);
  const near = findNearestName(name, names);
  return new OldhandError("usage", `there is no provider "${name}"`, {
    hint: `${near === null ? "" : `did you mean ${near}? `}known: ${names.join(", ")}; oldhand models add NAME --url URL adds an endpoint`,
  });
}

/**
 * Throws if a server on this machine lists its models without this one. A model of the owner's settings passes: the owner may know
 * better than the list. Other providers are not asked; their answer to the call says it.
 */
export async function requireListedModel(
  ref: ModelRef,
  settings: ProviderSettings,
  as: "default" | "any" = "any",
): Promise<void> {
  const own = [settings.defaultModel, ...settings.models].flatMap((one) => (one === null ? [] : [formatModelRef(one)]));
  const missing = own.includes(formatModelRef(ref)) ? null : await findMissing(ref, settings, as);
  if (missing !== null) throw missing;
}

/** The error for a model that its server does not have. Null if it has it, or if nobody can tell. */
export async function findMissing(
  ref: ModelRef,
  settings: ProviderSettings,
  as: "default" | "any" = "any",
): Promise<OldhandError | null> {
  const { provider, model } = ref;
  const models = await listLocalModels(provider, settings);
  if (models === null || models.some((one) => one === model || one === `${model}:latest`)) return null;
  const isOllama = findEndpoint(provider, settings)?.kind === "ollama";
  // Some servers do not list what they have.
  if (models.length === 0 && !isOllama) return null;
  const more = models.length > MOST_NAMES ? ", …" : "";
  const has = models.length === 0 ? "it has none" : `it has ${models.slice(0, MOST_NAMES).join(", ")}${more}`;
  const near = findNearestName(model, models);
  const get = isOllama ? `ollama pull ${model} gets it; ` : "";
  return new OldhandError("usage", `${provider} does not have the model ${model}: ${has}`, {
    hint: `${near === null ? "" : `did you mean ${provider}/${near}? `}${get}oldhand models add ${formatModelRef(ref)} --force uses it all the same${as === "default" ? "; then repeat this command" : ""}`,
  });
}

const MOST_NAMES = 8;

/** For a model that is typed without its provider. */
function suggestFullName(typed: string, { defaultModel, models }: ProviderSettings): string {
  const found = [defaultModel, ...models].find((one) => one?.model === typed);
  return found == null ? "" : `did you mean ${formatModelRef(found)}? `;
}
