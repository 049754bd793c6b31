import { type EndpointKind, isLoopbackUrl, type ProviderSettings } from "./endpoint.ts";
import { parseModelRef } from "./model-ref.ts";

/**
 * Reads the chosen models and their endpoints. Hooks leave this out, because they call no model (scripts/bundle-hook.mjs).
 * Keys are read from `env` when a provider is opened. `env` has no members of its own, so that a copy of the settings, in a log
 * or in another thread, contains no keys.
 */
export function readProviders(models: ModelSettings, env: ProviderSettings["env"]): ProviderSettings {
  return {
    env: Object.create(env) as ProviderSettings["env"],
    endpoints: Object.entries(models.endpoints).map(([name, { url, kind, keyEnv }]) => ({
      name,
      kind,
      url: url.replace(/\/+$/, "") || null,
      keyEnv: keyEnv === "" ? [] : [keyEnv],
      isLoopback: isLoopbackUrl(url),
    })),
    models: models.use.flatMap((text) => parseModelRef(text) ?? []),
    defaultModel: parseModelRef(models.default),
    job: readJobOf(env),
  };
}

/** Set by the worker that runs a job. */
function readJobOf(env: ProviderSettings["env"]): ProviderSettings["job"] {
  const name = env["OLDHAND_JOB"];
  return name ? { name, model: parseModelRef(env["OLDHAND_MODEL"] ?? "") } : undefined;
}

/** The group `models` of the settings. */
interface ModelSettings {
  readonly use: readonly string[];
  readonly default: string;
  readonly endpoints: Readonly<
    Record<string, { readonly url: string; readonly kind: EndpointKind; readonly keyEnv: string }>
  >;
}
