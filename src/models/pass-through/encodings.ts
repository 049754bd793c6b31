import zlib from "node:zlib";

/** Whether the bytes of this content encoding can be read here. */
export function canDecode(encoding: string): boolean {
  return encoding === "identity" || encoding in decoders();
}

/** The part of an Accept-Encoding header that we can read ourselves; null if nothing is left of it. */
export function keepReadableEncodings(header: string): string | null {
  const kept = header.split(",").filter((one) => canDecode(one.split(";", 1)[0]?.trim().toLowerCase() ?? ""));
  return kept.length === 0 ? null : kept.map((one) => one.trim()).join(", ");
}

/** A stream that decodes; null for `identity`. */
export function newDecoder(encoding: string): zlib.Gunzip | null {
  return decoders()[encoding]?.() ?? null;
}

/** A whole body. Throws if it is damaged, or longer than `limit` after decoding. */
export function decodeBody(body: Buffer, encoding: string, limit: number): Buffer {
  const options = { maxOutputLength: limit };
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return zlib.gunzipSync(body, options);
    case "deflate":
      return zlib.inflateSync(body, options);
    case "br":
      return zlib.brotliDecompressSync(body, options);
    case "zstd":
      return (zlib as unknown as { zstdDecompressSync: typeof zlib.gunzipSync }).zstdDecompressSync(body, options);
    default:
      return body;
  }
}

type NewDecoder = () => zlib.Gunzip;

function decoders(): Readonly<Record<string, NewDecoder>> {
  // Node 20 has no zstd.
  const zstd = (zlib as unknown as { createZstdDecompress?: NewDecoder }).createZstdDecompress;
  return {
    gzip: () => zlib.createGunzip(),
    "x-gzip": () => zlib.createGunzip(),
    deflate: () => zlib.createInflate() as unknown as zlib.Gunzip,
    br: () => zlib.createBrotliDecompress() as unknown as zlib.Gunzip,
    ...(zstd === undefined ? {} : { zstd }),
  };
}
