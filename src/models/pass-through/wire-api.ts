/** The APIs that clients speak to us: Anthropic Messages, OpenAI Chat Completions, OpenAI Responses. */
export type WireApi = "messages" | "chat" | "responses";

/** `model`: a call that costs money. `free`: a request that providers do not charge for. */
export interface WireRoute {
  readonly kind: "model" | "free";
  readonly api: WireApi;
}

/** Null if we do not serve this path. */
export function findWireRoute(
  method: string,
  pathname: string,
  headers: Readonly<Record<string, unknown>>,
): WireRoute | null {
  if (method === "POST") return posts.get(pathname) ?? null;
  // Both providers list their models here; only Anthropic's clients send this header.
  if (method === "GET" && /^\/v1\/models(?:\/[^/]+)*$/.test(pathname))
    return { kind: "free", api: "anthropic-version" in headers ? "messages" : "responses" };
  return null;
}

/** The API whose error format fits a path, even if we do not serve the path. */
export function guessWireApi(pathname: string): WireApi {
  if (pathname.startsWith("/v1/messages")) return "messages";
  return pathname.startsWith("/v1/chat") ? "chat" : "responses";
}

const posts: ReadonlyMap<string, WireRoute> = new Map([
  ["/v1/messages", { kind: "model", api: "messages" }],
  ["/v1/messages/count_tokens", { kind: "free", api: "messages" }],
  ["/v1/chat/completions", { kind: "model", api: "chat" }],
  ["/v1/responses", { kind: "model", api: "responses" }],
  // Codex uses it to shorten a long session.
  ["/v1/responses/compact", { kind: "model", api: "responses" }],
]);
