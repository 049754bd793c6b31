/** The vector's direction in bytes; its length is lost. */
export function quantiseVector(vector: ArrayLike<number>): Int8Array {
  let most = 0;
  for (let at = 0; at < vector.length; at++) most = Math.max(most, Math.abs(vector[at] as number));
  const factor = most === 0 ? 0 : 127 / most;
  return Int8Array.from(vector, (value) => Math.round(value * factor));
}
