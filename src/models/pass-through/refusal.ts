import type { ServerResponse } from "node:http";
import { shapeError } from "./error-shape.ts";
import type { WireApi } from "./wire-api.ts";

/** Why a request is not sent on. */
export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly why: string;
}

/** If an answer has begun, the client can only be told by breaking it off. */
export function sendRefusal(response: ServerResponse, api: WireApi, status: number, why: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(status, {
    "content-type": "application/json",
    // The SDKs of both providers ask again if this is not said.
    "x-should-retry": status >= 500 ? "true" : "false",
    ...(status === 413 ? { connection: "close" } : {}),
  });
  response.end(shapeError(api, status, why));
}
