import zlib from "node:zlib";

/** Whether we can decode this content encoding. */
export function canDecode(encoding: string): boolean {
  return encoding === "identity" || encoding in decoders();
}

/** Keeps the encodings of an Accept-Encoding header that we can decode; null if none is left. */
export function keepReadableEncodings(header: string): string | null {
  const kept = header.split(",").filter((one) => canDecode(one.split(";", 1)[0]?.trim().toLowerCase() ?? ""));
  return kept.length === 0 ? null : kept.map((one) => one.trim()).join(", ");
}

/** A decoding stream; null for `identity`. */
export function newDecoder(encoding: string): zlib.Gunzip | null {
  return decoders()[encoding]?.() ?? null;
}

/** Decodes a whole body. Throws if it is damaged, or longer than `limit` after decoding. */
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
