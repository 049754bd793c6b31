import type { ServerResponse } from "node:http";
import { shapeError } from "./error-shape.ts";
import type { WireApi } from "./wire-api.ts";

/** Why a request is not sent on. */
export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly why: string;
  /** For a client that may ask again: when. Null: asking again does not help. */
  readonly retryAfterMs?: number | null;
}

export function refused(status: number, why: string, retryAfterMs?: number | null): Refused {
  return { kind: "refused", status, why, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** Once an answer has begun, breaking it off is the only way to report an error. */
export function sendRefusal(
  response: ServerResponse,
  api: WireApi,
  { status, why, retryAfterMs }: Omit<Refused, "kind">,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(status, {
    "content-type": "application/json",
    // Without this header, the SDKs of both providers retry.
    "x-should-retry": status >= 500 && retryAfterMs !== null ? "true" : "false",
    ...(retryAfterMs == null ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) }),
    ...(status === 413 ? { connection: "close" } : {}),
  });
  response.end(shapeError(api, status, why));
}
