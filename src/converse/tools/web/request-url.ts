import { lookup as resolveName } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Readable } from "node:stream";
import { errorMessage, systemErrorCode } from "../../../lib/errors.ts";
import {
  type Destination,
  isLinkLocalAddress,
  isListedDestination,
  isPublicAddress,
} from "../../../lib/public-address.ts";

export interface UrlRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Destinations that may be contacted although they are not public. */
  readonly allow: readonly string[];
  readonly mostBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** How a name is resolved; Node's way if absent. */
  readonly resolve?: typeof resolveName | undefined;
}

export type UrlResponse =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer;
      readonly isCut: boolean;
      readonly url: string;
    }
  /** Another host: a yes to one host is no yes to another. */
  | { readonly kind: "elsewhere"; readonly location: string }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string };

/**
 * Sends one request and follows redirects within the same host. The address is checked when the name is resolved, for the
 * very connection that is made, so a name that changes its address in between gains nothing.
 */
export async function requestUrl(request: UrlRequest): Promise<UrlResponse> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)]);
  let current = request;
  for (let redirects = 0; ; redirects++) {
    const parsed = parseUrl(current.url);
    if (typeof parsed === "string") return { kind: "refused", why: parsed };
    const response = await sendOnce(parsed, { ...current, signal });
    const location = response.kind === "answered" ? redirectOf(response, parsed) : null;
    if (location === null) return response;
    if (location.host !== parsed.host) return { kind: "elsewhere", location: location.href };
    if (redirects >= MOST_REDIRECTS) return { kind: "failed", why: `more than ${MOST_REDIRECTS} redirects` };
    // As browsers do: only 307 and 308 repeat the body.
    const isSame = response.kind === "answered" && (response.status === 307 || response.status === 308);
    current = { ...current, url: location.href, ...(isSame ? {} : { method: "GET", body: undefined }) };
  }
}

const MOST_REDIRECTS = 5;

/** The URL, or why it cannot be requested. */
export function parseUrl(text: string): URL | string {
  if (!URL.canParse(text)) return "it is not a URL";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `only http and https are allowed, not ${url.protocol}`;
  return url.username !== "" || url.password !== "" ? "a URL with a user name or password is not allowed" : url;
}

export function destinationOf(url: URL): Pick<Destination, "host" | "port"> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(url.port) || (url.protocol === "https:" ? 443 : 80) };
}

function redirectOf(
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  from: URL,
): URL | null {
  const { location } = headers;
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, from.href)) return null;
  return new URL(location, from);
}

function sendOnce(url: URL, request: UrlRequest): Promise<UrlResponse> {
  const { host, port } = destinationOf(url);
  const mayContact = (address: string) =>
    isPublicAddress(address) || isListedDestination(request.allow, { host, port, address } satisfies Destination);
  // Node resolves no name if the host is an address.
  if (isIP(host) !== 0 && !mayContact(host)) return Promise.resolve(refuseAddress(host));
  const { method = "GET", headers = {}, body, signal } = request;
  const options: RequestOptions = {
    ...{ method, agent: false, signal, lookup: checkedLookup(request.resolve ?? resolveName, mayContact) },
    headers: { "user-agent": "oldhand", "accept-encoding": "gzip, br", ...headers },
  };
  return new Promise((resolve) => {
    const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options);
    sent.once("error", (error) => resolve(toFailure(error, request)));
    sent.once("socket", (socket) =>
      socket.once("connect", () => {
        const { remoteAddress = "" } = socket;
        if (!mayContact(remoteAddress)) socket.destroy(new RefusedAddress(remoteAddress));
      }),
    );
    sent.once(
      "response",
      (response) => void readBody(sent, response, request).then((read) => resolve(toResponse(response, read, url))),
    );
    sent.end(body);
  });
}

class RefusedAddress extends Error {}

function checkedLookup(resolve: typeof resolveName, mayContact: (address: string) => boolean): LookupFunction {
  return (name, options, give) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return give(error, "", 0);
      const allowed = found.filter(({ address }) => mayContact(address));
      const [first] = allowed;
      if (first === undefined) return give(new RefusedAddress(found[0]?.address ?? name), "", 0);
      return options.all === true ? give(null, allowed) : give(null, first.address, first.family);
    });
  };
}

type Body =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly isCut: boolean }
  | { readonly kind: "failed"; readonly why: string };

function readBody(sent: ClientRequest, response: IncomingMessage, { mostBytes }: UrlRequest): Promise<Body> {
  return new Promise((resolve) => {
    const stream = decoded(response);
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (body: Body) => {
      resolve(body);
      // Without this, what was sent goes on being unpacked: a few kilobytes can become gigabytes.
      stream.destroy();
      sent.destroy();
    };
    const read = (isCut: boolean) => end({ kind: "read", bytes: Buffer.concat(chunks).subarray(0, mostBytes), isCut });
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostBytes) read(true);
    });
    stream.once("end", () => read(false));
    for (const one of [stream, response]) one.on("error", (error) => end({ kind: "failed", why: errorMessage(error) }));
  });
}

function decoded(response: IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"] ?? "";
  if (/gzip/i.test(encoding)) return response.pipe(createGunzip());
  if (/br/i.test(encoding)) return response.pipe(createBrotliDecompress());
  return /deflate/i.test(encoding) ? response.pipe(createInflate()) : response;
}

function toResponse(response: IncomingMessage, body: Body, url: URL): UrlResponse {
  if (body.kind === "failed") return body;
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return {
    ...{ kind: "answered", status: response.statusCode ?? 0, headers: Object.fromEntries(headers), url: url.href },
    ...{ body: body.bytes, isCut: body.isCut },
  };
}

function toFailure(error: Error, { signal, timeoutMs }: UrlRequest): UrlResponse {
  const { cause } = error as { cause?: unknown };
  for (const one of [error, cause]) if (one instanceof RefusedAddress) return refuseAddress(one.message);
  if (signal.aborted) return { kind: "failed", why: `it timed out after ${timeoutMs / 1000} s, or was stopped` };
  return { kind: "failed", why: systemErrorCode(error) || errorMessage(error) };
}

function refuseAddress(address: string): UrlResponse {
  if (isLinkLocalAddress(address))
    return { kind: "refused", why: `${address} is an address at which clouds give out the keys of a machine` };
  return {
    kind: "refused",
    why: `${address} is on this machine or in a private network. The owner can list it in the setting fetch.allow`,
  };
}
