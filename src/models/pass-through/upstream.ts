import type { IncomingHttpHeaders } from "node:http";
import { type Endpoint, isLoopbackUrl, type ProviderSettings } from "../../domain/model/endpoint.ts";
import { findEndpoint, keyOf, missingVariables } from "../providers/registry.ts";
import { mapHeaders, toUpstreamHeaders, VIA } from "./headers.ts";
import type { Refused } from "./refusal.ts";
import type { WireApi } from "./wire-api.ts";

/** Where a request goes, and with which headers. */
export interface Upstream {
  readonly provider: string;
  /** Whose failures count together: the provider's, apart from another address of it. */
  readonly breaker: string;
  readonly isLoopback: boolean;
  readonly url: URL;
  readonly headers: readonly string[];
}

export interface UpstreamRequest {
  readonly api: WireApi;
  /** `/v1/messages?beta=true` */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** The client sent our token as its credential: the key comes from our environment. */
  readonly usesOwnKey: boolean;
}

/** This server. It may not be its own upstream, and its tokens must not leave it. */
export interface OwnServer {
  readonly port: number;
  readonly tokens: readonly string[];
  /** A new id for each start. */
  readonly id: string;
}

export type FoundUpstream = { readonly kind: "found"; readonly upstream: Upstream } | Refused;

/** The address of the API's provider. The header `x-oldhand-provider` chooses another provider. */
export function findUpstream(request: UpstreamRequest, settings: ProviderSettings, own: OwnServer): FoundUpstream {
  const { api, headers } = request;
  const asked = headers["x-oldhand-provider"];
  const name = typeof asked === "string" ? asked : api === "messages" ? "anthropic" : "openai";
  const endpoint = findEndpoint(name, settings);
  if (endpoint === null) return refuse(400, `there is no provider "${name}"; oldhand models list shows all providers`);
  if (endpoint.kind === "google" || endpoint.url === null)
    return refuse(400, `${name} cannot be used through this address`);
  const base = baseUrl(endpoint, headers);
  const url = new URL(joinPath(endpoint, base, request.path));
  if (
    isOwnAddress(url, own) ||
    String(headers[VIA] ?? "")
      .split(",")
      .includes(own.id)
  )
    return refuse(
      508,
      `${name} leads back to this server: ${url.origin}. Start oldhand serve without ${name.toUpperCase()}_BASE_URL, or set the provider's own address there`,
    );
  const key = keyOf(endpoint, settings.env);
  // A server on this machine needs none, as for oldhand's own calls.
  if (request.usesOwnKey && missingVariables(endpoint, settings.env).length > 0)
    return refuse(
      401,
      `oldhand serve has no key for ${name}; it looks for ${endpoint.keyEnv.join(", ")} in its environment`,
    );
  const passed = toUpstreamHeaders(request.rawHeaders, own.tokens);
  const withKey = request.usesOwnKey && key !== null ? putKey(passed, endpoint, key) : passed;
  const via = isLoopbackUrl(url.href) ? [VIA, [headers[VIA], own.id].filter(Boolean).join(",")] : [];
  return {
    kind: "found",
    upstream: {
      provider: name,
      breaker: base === endpoint.url ? name : `${name} ${url.hostname}`,
      isLoopback: endpoint.isLoopback,
      url,
      headers: [...withKey, ...via],
    },
  };
}

/** Codex with a ChatGPT account uses another address, unless the owner set one. */
function baseUrl(endpoint: Endpoint, headers: IncomingHttpHeaders): string {
  const isAccount = endpoint.name === "openai" && headers["chatgpt-account-id"] !== undefined;
  const url = endpoint.url ?? "";
  return isAccount && url === "https://api.openai.com/v1" ? "https://chatgpt.com/backend-api/codex" : url;
}

/** The base address and the path both contain the version, so one is removed. Ollama's base address has none. */
function joinPath({ kind }: Endpoint, base: string, path: string): string {
  const bare = base.replace(/\/+$/, "");
  return kind === "ollama" ? `${bare.replace(/\/(?:v1|api)$/, "")}${path}` : `${bare}${path.replace(/^\/v1/, "")}`;
}

function isOwnAddress(url: URL, own: OwnServer): boolean {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return port === own.port && (isLoopbackUrl(url.href) || url.hostname === "0.0.0.0");
}

function putKey(headers: readonly string[], { kind }: Endpoint, key: string): readonly string[] {
  const kept = mapHeaders(headers, (name, value) => (name === "authorization" || name === "x-api-key" ? null : value));
  return kind === "anthropic" ? [...kept, "x-api-key", key] : [...kept, "authorization", `Bearer ${key}`];
}

function refuse(status: number, why: string): FoundUpstream {
  return { kind: "refused", status, why };
}
