import { keepReadableEncodings } from "./encodings.ts";

/** Marks a forwarded request, so that oldhand notices if it comes back. */
export const VIA = "x-oldhand-via";

/** Headers that belong to one connection, not to the request. */
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

/** The client's headers without connection headers, without our own headers, and without our tokens. */
export function toUpstreamHeaders(raw: readonly string[], tokens: readonly string[]): readonly string[] {
  return mapHeaders(raw, (name, value) => {
    if (OF_CONNECTION.has(name) || name.startsWith("x-oldhand-")) return null;
    if (tokens.some((token) => value.includes(token))) return null;
    return name === "accept-encoding" ? keepReadableEncodings(value) : value;
  });
}

/** Headers for a changed body. They request an uncompressed answer, because we have to change it too. */
export function withOtherBody(headers: readonly string[], body: Buffer): readonly string[] {
  const kept = mapHeaders(headers, (name, value) => (OF_BODY.has(name) ? null : value));
  return [...kept, "content-length", String(body.length), "accept-encoding", "identity"];
}

const OF_BODY = new Set(["content-length", "content-encoding", "accept-encoding"]);

/** `isChanged`: the answer's length has changed. */
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
