/** 64-bit FNV-1a as 16 hex digits: a stable name for a text. Not cryptographic. */
export function hashText(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < text.length; i++) {
    low = (low ^ text.charCodeAt(i)) >>> 0;
    // (high:low) * 0x100000001b3, kept in two 32-bit halves.
    const lowTimes = low * 0x1b3;
    const carry = Math.floor(lowTimes / 0x100000000);
    high = (Math.imul(high, 0x1b3) + carry + (low << 8)) >>> 0;
    low = lowTimes >>> 0;
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}
