import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { PassThrough } from "../../models/pass-through/pass-through.ts";
import { sendRefusal } from "../../models/pass-through/refusal.ts";
import { findWireRoute, guessWireApi } from "../../models/pass-through/wire-api.ts";
import { bearerOf, isLoopbackName, isOwnOrigin, isToken } from "./allowed-requests.ts";

/** The paths of model APIs. They bypass the app, because bytes, headers and errors must be the provider's own. */
export function isModelPath(url: string | undefined): boolean {
  return url !== undefined && /^\/v1(?:[/?]|$)/.test(url);
}

/** Does the same checks as the HTTP API, with errors that clients of a model API can show. */
export async function answerModelRequest(
  passThrough: PassThrough,
  /** Each of them opens these paths. */
  tokens: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method = "GET" } = request;
  const [pathname = ""] = (request.url ?? "").split("?");
  const route = findWireRoute(method, pathname, headers);
  const refuse = (status: number, why: string) => {
    // Discards the rest of the body.
    request.resume();
    sendRefusal(response, route?.api ?? guessWireApi(pathname), { status, why });
  };
  if (!isLoopbackName(headers.host)) return refuse(421, "this server accepts only the hosts 127.0.0.1 and localhost");
  if (!isOwnOrigin(headers.origin, headers.host)) return refuse(403, "cross-site requests are refused");
  const access = findAccess(headers, tokens);
  if (access === null)
    return refuse(
      401,
      "the token is missing or wrong. Send it as the header x-oldhand-token, or as the API key if oldhand serve has the key; `oldhand serve` prints it after Models",
    );
  if (route === null) return refuse(404, `${method} ${pathname} is not served here`);
  return passThrough.answer({ route, request, response, usesOwnKey: access === "own-key" });
}

/**
 * A client with its own credential sends the token in `x-oldhand-token`. If the token is the credential, or there is no
 * other one, our own key is used.
 */
function findAccess(headers: IncomingHttpHeaders, tokens: readonly string[]): "own-key" | "client-key" | null {
  const credentials = [headers["x-api-key"], bearerOf(headers.authorization)].map(asText);
  const isOurs = (given: string | undefined) => tokens.some((token) => isToken(given, token));
  if (credentials.some(isOurs)) return "own-key";
  if (!isOurs(asText(headers["x-oldhand-token"]))) return null;
  return credentials.every((one) => one === undefined || one === "") ? "own-key" : "client-key";
}

function asText(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
