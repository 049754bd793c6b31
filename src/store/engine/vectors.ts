import type { VectorRow } from "./db.ts";

/** The stored form. Blocks are split by dimension only, so a vector of wrong length would shift all that follow. */
export function encodeVector({ subject, dims, vector }: VectorRow): Uint8Array {
  if (vector.length !== dims) throw new Error(`the vector of ${subject} has ${vector.length} dimensions, not ${dims}`);
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
