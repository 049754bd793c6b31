import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { systemErrorCode } from "../../lib/errors.ts";

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  /** Names and values alternating, in their original order. */
  readonly headers: readonly string[];
  readonly body: Buffer | null;
  /** The longest silence on the connection. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** `first` is the beginning of the body; reading the response yields it again. */
export type Exchange =
  | { readonly kind: "answered"; readonly response: IncomingMessage; readonly first: Buffer }
  | { readonly kind: "failed"; readonly failure: "unreachable" | "timeout" | "aborted"; readonly code: string };

/** Connections to providers, kept open for the next request. */
export interface Connections {
  /** Resolves with the first byte of the answer's body, or at its end. Never rejects. */
  send(sent: SentRequest): Promise<Exchange>;
  close(): void;
}

export function openConnections(): Connections {
  const options = { keepAlive: true, scheduling: "lifo" } as const;
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);
  return {
    send: (sent) =>
      new Promise((resolve) => {
        const fail = (error: unknown) => resolve(toFailed(error, sent.signal));
        const isSecure = sent.url.protocol === "https:";
        const request = (isSecure ? https : http).request(sent.url, {
          method: sent.method,
          headers: toFields(sent.headers),
          agent: isSecure ? secure : plain,
          timeout: sent.idleMs,
          signal: sent.signal,
        });
        request.on("timeout", () => request.destroy(new SilenceError()));
        // The listener stays attached, because an error after the answer began is emitted on the request too.
        request.on("error", fail);
        request.once("response", (response) => {
          response.once("error", fail);
          void readFirst(response).then((first) => {
            if (first !== null) resolve({ kind: "answered", response, first });
          });
        });
        request.end(sent.body ?? undefined);
      }),
    close: () => {
      plain.destroy();
      secure.destroy();
    },
  };
}

class SilenceError extends Error {
  readonly code = "ETIMEDOUT";
}

/** Null if the connection broke before; an `error` event reports that. */
function readFirst(response: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const look = () => {
      const chunk = response.read() as Buffer | null;
      if (chunk === null && !response.readableEnded) return;
      stop();
      if (chunk !== null) response.unshift(chunk);
      resolve(chunk ?? Buffer.alloc(0));
    };
    const broken = () => {
      stop();
      resolve(null);
    };
    const stop = () => {
      response.off("readable", look);
      response.off("end", look);
      response.off("error", broken);
    };
    response.on("readable", look);
    response.on("end", look);
    response.on("error", broken);
  });
}

function toFailed(error: unknown, signal: AbortSignal): Exchange {
  const code = systemErrorCode(error) || "no answer";
  if (signal.aborted) return { kind: "failed", failure: "aborted", code };
  return { kind: "failed", failure: code === "ETIMEDOUT" ? "timeout" : "unreachable", code };
}

/** Keeps the spelling of names, and repeated headers. */
function toFields(flat: readonly string[]): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) (fields[flat[at] ?? ""] ??= []).push(flat[at + 1] ?? "");
  return fields;
}
