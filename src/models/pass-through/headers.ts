import { keepReadableEncodings } from "./encodings.ts";

/** Marks what was sent on by an oldhand, so that it notices if its own request comes back. */
export const VIA = "x-oldhand-via";

/** They belong to one connection, not to the request. */
const OF_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "expect",
]);

/** What the client sent, without what belongs to the connection, without our own headers, and without our token. */
export function toUpstreamHeaders(raw: readonly string[], token: string): readonly string[] {
  return mapHeaders(raw, (name, value) => {
    if (OF_CONNECTION.has(name) || name.startsWith("x-oldhand-") || value.includes(token)) return null;
    return name === "accept-encoding" ? keepReadableEncodings(value) : value;
  });
}

/** For a body that has become another one, and an answer that we have to read. */
export function withOtherBody(headers: readonly string[], body: Buffer): readonly string[] {
  const kept = mapHeaders(headers, (name, value) => (OF_BODY.has(name) ? null : value));
  return [...kept, "content-length", String(body.length), "accept-encoding", "identity"];
}

const OF_BODY = new Set(["content-length", "content-encoding", "accept-encoding"]);

/** `isChanged`: the length of the answer is another one. */
export function toClientHeaders(raw: readonly string[], isChanged: boolean): readonly string[] {
  return mapHeaders(raw, (name, value) =>
    OF_CONNECTION.has(name) || (isChanged && name === "content-length") ? null : value,
  );
}

/** Null drops the header. */
export function mapHeaders(
  raw: readonly string[],
  map: (name: string, value: string) => string | null,
): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    const mapped = map(name.toLowerCase(), value);
    if (mapped !== null) kept.push(name, mapped);
  }
  return kept;
}
