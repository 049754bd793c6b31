import { createHmac } from "node:crypto";

/** Letters and digits that only the holder of the key can work out from the text: HMAC-SHA256, five bits for each. */
export function keyedHash(key: string, text: string, length: number): string {
  const hash = createHmac("sha256", key).update(text).digest();
  return Array.from(hash.subarray(0, length), (byte) => LETTERS[byte % 32]).join("");
}

const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
