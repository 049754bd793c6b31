import type { ModelRef } from "./model-ref.ts";

export const endpointKinds = ["anthropic", "openai", "google", "ollama", "openai-compatible"] as const;
export type EndpointKind = (typeof endpointKinds)[number];

/** Where a provider is, and which API it speaks. */
export interface Endpoint {
  /** The part before the slash in `provider/model`. */
  readonly name: string;
  readonly kind: EndpointKind;
  /** Null if a variable that the address is made of is not set. */
  readonly url: string | null;
  /** Environment variables that may hold the key; the first one that is set is used. Empty if no key is needed. */
  readonly keyEnv: readonly string[];
  /** It runs on this machine: free, and secrets need no placeholders. */
  readonly isLoopback: boolean;
}

/** Which providers and models the owner chose. Keys are not part of it: they stay in the environment. */
export interface ProviderSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Endpoints that the owner added to the presets. */
  readonly endpoints: readonly Endpoint[];
  /** The models that the router may choose, in the owner's order. */
  readonly models: readonly ModelRef[];
  readonly defaultModel: ModelRef | null;
  /** The job whose command runs this process: its cap counts every call of a model, and its model is used. */
  readonly job?: { readonly name: string; readonly model: ModelRef | null } | undefined;
}

/** The default model: the one that the owner set, otherwise the first of models.use. */
export function findDefaultModel({ defaultModel, models }: ProviderSettings): ModelRef | null {
  return defaultModel ?? models[0] ?? null;
}

export const noProviders: ProviderSettings = { env: {}, endpoints: [], models: [], defaultModel: null };

/** True if the address is on this machine. */
export function isLoopbackUrl(url: string): boolean {
  const host = /^[a-z]+:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? "";
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
