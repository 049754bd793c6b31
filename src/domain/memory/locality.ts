import { BIAS, MODEL, SCALE, WEIGHTS } from "./locality-weights.ts";

/**
 * Scores whether a prompt asks for something that only this project knows (above 0) or that any developer asks anywhere
 * (below 0), by its embedding. Null for any model but the built-in one, for which the weights were trained.
 */
export function scoreLocality(model: string, vector: Int8Array): number | null {
  if (model !== MODEL || vector.length !== weights.length) return null;
  let [along, length] = [0, 0];
  for (const [at, value] of vector.entries()) {
    along += value * (weights[at] ?? 0);
    length += value * value;
  }
  return (SCALE * along) / Math.sqrt(length || 1) + BIAS;
}

const weights = new Int8Array(Buffer.from(WEIGHTS, "base64"));
