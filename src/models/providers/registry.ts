import { type Endpoint, type EndpointKind, isLoopbackUrl, type ProviderSettings } from "../../domain/model/endpoint.ts";
import { readOllamaHost } from "./ollama-host.ts";

type Env = ProviderSettings["env"];

/** The owner's endpoint of this name, otherwise the preset. Null if there is neither. */
export function findEndpoint(name: string, settings: ProviderSettings): Endpoint | null {
  const preset = presets[name];
  const own = settings.endpoints.find((one) => one.name === name);
  if (own !== undefined) return preset?.isAlwaysPaid === true ? { ...own, isLoopback: false } : own;
  return preset === undefined ? null : openPreset(name, preset, settings.env);
}

/** All endpoints, the owner's first. */
export function listEndpoints(settings: ProviderSettings): readonly Endpoint[] {
  const names = new Set([...settings.endpoints.map(({ name }) => name), ...Object.keys(presets)]);
  return [...names].flatMap((name) => findEndpoint(name, settings) ?? []);
}

/** Reads the key from the environment. Null if no variable holds one. */
export function keyOf(endpoint: Endpoint, env: Env): string | null {
  for (const variable of endpoint.keyEnv) {
    const key = env[variable]?.trim();
    if (key) return key;
  }
  return null;
}

/** What to do about a key that was refused. */
export function adviseKey(endpoint: Endpoint, env: Env): string {
  const keys = endpoint.keyEnv.join(" or ");
  if (keys === "") return `check the key of ${endpoint.name}`;
  return keyOf(endpoint, env) === null ? `${keys} is not set; set it` : `check ${keys}`;
}

/** Variables that must be set before the endpoint can be used. Of each entry, one variable is enough. */
export function missingVariables(endpoint: Endpoint, env: Env): readonly (readonly string[])[] {
  const needed = presets[endpoint.name]?.urlNeeds ?? [];
  return [
    ...(endpoint.url === null ? needed.filter((name) => !env[name]).map((name) => [name]) : []),
    ...(endpoint.keyEnv.length > 0 && !endpoint.isLoopback && keyOf(endpoint, env) === null ? [endpoint.keyEnv] : []),
  ];
}

/** The variable that changes the address of a provider that oldhand knows. Null for other names. */
export function addressVariable(name: string): string | null {
  return presets[name]?.urlEnv ?? null;
}

/** Why no request can be sent to the address; null if it is an http address. Does not repeat it: it may hold a password. */
export function explainAddress({ name, url }: Pick<Endpoint, "name" | "url">): string | null {
  if (url === null || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return null;
  return `needs an address that begins with http:// or https:// in ${presets[name]?.urlEnv ?? `models.endpoints.${name}.url`}`;
}

interface Preset {
  readonly kind: EndpointKind;
  /** The variable that changes the address. */
  readonly urlEnv: string;
  readonly url: (env: Env) => string | null;
  readonly keyEnv: readonly string[];
  /** Variables that the address is made of. */
  readonly urlNeeds?: readonly string[];
  /** These models never run on this machine. A local address is a proxy, and the models still cost money. */
  readonly isAlwaysPaid?: true;
}

const presets: Readonly<Record<string, Preset>> = {
  anthropic: {
    kind: "anthropic",
    urlEnv: "ANTHROPIC_BASE_URL",
    url: (env) => withVersion(env["ANTHROPIC_BASE_URL"] || "https://api.anthropic.com", "/v1"),
    keyEnv: ["ANTHROPIC_API_KEY"],
    isAlwaysPaid: true,
  },
  openai: {
    kind: "openai",
    urlEnv: "OPENAI_BASE_URL",
    url: (env) => withoutSlash(env["OPENAI_BASE_URL"] || "https://api.openai.com/v1"),
    keyEnv: ["OPENAI_API_KEY"],
    isAlwaysPaid: true,
  },
  google: {
    kind: "google",
    urlEnv: "GOOGLE_GEMINI_BASE_URL",
    url: (env) => withVersion(env["GOOGLE_GEMINI_BASE_URL"] || "https://generativelanguage.googleapis.com", "/v1beta"),
    keyEnv: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
    isAlwaysPaid: true,
  },
  ollama: { kind: "ollama", urlEnv: "OLLAMA_HOST", url: (env) => readOllamaHost(env["OLLAMA_HOST"]), keyEnv: [] },
  openrouter: compatible("https://openrouter.ai/api/v1", "OPENROUTER_BASE_URL", ["OPENROUTER_API_KEY"]),
  huggingface: compatible("https://router.huggingface.co/v1", "HF_BASE_URL", ["HF_TOKEN", "HUGGINGFACE_API_KEY"]),
  workersai: {
    kind: "openai-compatible",
    urlEnv: "WORKERS_AI_BASE_URL",
    url: (env) => {
      const account = env["CLOUDFLARE_ACCOUNT_ID"];
      const url = account && `https://api.cloudflare.com/client/v4/accounts/${encodeURIComponent(account)}/ai/v1`;
      return withoutSlash(env["WORKERS_AI_BASE_URL"] || url || "") || null;
    },
    keyEnv: ["CLOUDFLARE_API_TOKEN"],
    urlNeeds: ["CLOUDFLARE_ACCOUNT_ID"],
  },
  vllm: compatible("http://127.0.0.1:8000/v1", "VLLM_BASE_URL", ["VLLM_API_KEY"]),
  lmstudio: compatible("http://127.0.0.1:1234/v1", "LMSTUDIO_BASE_URL", ["LMSTUDIO_API_KEY"]),
};

function compatible(url: string, urlEnv: string, keyEnv: readonly string[]): Preset {
  return { kind: "openai-compatible", urlEnv, url: (env) => withoutSlash(env[urlEnv] || url), keyEnv };
}

function openPreset(name: string, preset: Preset, env: Env): Endpoint {
  const url = preset.url(env);
  const isLoopback = preset.isAlwaysPaid !== true && url !== null && isLoopbackUrl(url);
  return { name, kind: preset.kind, url, keyEnv: preset.keyEnv, isLoopback };
}

/** Adds the version to the path: other clients set the same variable without it. */
function withVersion(url: string, version: string): string {
  const bare = withoutSlash(url);
  return /\/v\d+\w*$/.test(bare) ? bare : `${bare}${version}`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
