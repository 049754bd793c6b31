/** The text of a file, or what it is instead, as the end of a sentence: `is an image (PNG)`. */
export type BytesText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "none"; readonly why: string };

export function readTextOfBytes(bytes: Buffer): BytesText {
  const image = imageOf(bytes);
  if (image !== null) return { kind: "none", why: `is an image (${image})` };
  const text = decode(bytes);
  return text === null ? { kind: "none", why: `is a binary file of ${bytes.length} bytes` } : { kind: "text", text };
}

/** Null for bytes that are no text. */
function decode(bytes: Buffer): string | null {
  if (bytes.subarray(0, 8_192).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function imageOf(bytes: Buffer): string | null {
  const start = bytes.subarray(0, 12).toString("latin1");
  return imageMarks.find(([, mark]) => mark.test(start))?.[0] ?? null;
}

const imageMarks: readonly (readonly [string, RegExp])[] = [
  ["PNG", /^\x89PNG/],
  ["JPEG", /^\xff\xd8\xff/],
  ["GIF", /^GIF8/],
  ["WebP", /^RIFF....WEBP/s],
  ["BMP", /^BM..\0\0/s],
];
