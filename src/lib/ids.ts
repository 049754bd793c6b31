const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const TAIL = 7;

let last = { now: 0, tail: 0 };

/**
 * A short id that sorts by time: `r_` + 9 characters of milliseconds + 7 random ones, which are incremented within a
 * millisecond.
 */
export function newId(prefix: string, now: number): string {
  last = { now, tail: now === last.now ? last.tail + 1 : randomTail() };
  return `${prefix}_${digits(now, 9)}${digits(last.tail, TAIL)}`;
}

/** An id derived from the text, so that the same finding keeps its id. */
export function hashId(prefix: string, text: string): string {
  // Loaded on demand: few commands make an id, and the module is slow to load.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256").update(text).digest();
  return `${prefix}_${Array.from(hash.subarray(0, 12), (byte) => alphabet[byte % 32]).join("")}`;
}

/** Less than half of the range, so that incrementing never overflows. */
function randomTail(): number {
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) * 4 + 1;
}

function digits(value: number, count: number): string {
  let text = "";
  for (let rest = value, i = 0; i < count; i++, rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text;
  return text;
}
