import type { WireApi } from "./wire-api.ts";

/** Our own error in the format of the API, so that clients show its message. */
export function shapeError(api: WireApi, status: number, message: string): string {
  const known = kinds[status] ?? (status >= 500 ? overload : request);
  const text = `oldhand: ${message}`;
  return api === "messages"
    ? JSON.stringify({ type: "error", error: { type: known.anthropic, message: text } })
    : JSON.stringify({ error: { message: text, type: known.openai, param: null, code: known.code } });
}

interface ErrorKind {
  readonly anthropic: string;
  readonly openai: string;
  readonly code: string;
}

const request: ErrorKind = { anthropic: "invalid_request_error", openai: "invalid_request_error", code: "bad_request" };
const overload: ErrorKind = { anthropic: "api_error", openai: "server_error", code: "unreachable" };

const kinds: Readonly<Record<number, ErrorKind>> = {
  401: { anthropic: "authentication_error", openai: "invalid_request_error", code: "invalid_api_key" },
  402: { anthropic: "billing_error", openai: "insufficient_quota", code: "cap_reached" },
  403: { anthropic: "permission_error", openai: "invalid_request_error", code: "forbidden" },
  404: { anthropic: "not_found_error", openai: "invalid_request_error", code: "not_found" },
  413: { anthropic: "request_too_large", openai: "invalid_request_error", code: "too_large" },
};
