import type { Db } from "../engine/db.ts";

/** The stored vectors of some subjects; those without one are left out. */
export async function getVectors(
  db: Db,
  of: { readonly noun: string; readonly model: string },
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Int8Array>> {
  if (subjects.length === 0) return new Map();
  const rows = await db.all<{ subject: string; vector: Uint8Array }>(
    `select subject, vector from vectors
     where noun = ? and model = ? and subject in (${subjects.map(() => "?").join(", ")})`,
    [of.noun, of.model, ...subjects],
  );
  return new Map(
    rows.map(({ subject, vector }) => [
      subject,
      new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength).slice(),
    ]),
  );
}

/** Cosine, from -1 to 1. */
export function computeCosine(a: Int8Array, b: Int8Array): number {
  let [dot, left, right] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [one, other] = [a[at] ?? 0, b[at] ?? 0];
    dot += one * other;
    left += one * one;
    right += other * other;
  }
  return dot / Math.sqrt(left * right || 1);
}
