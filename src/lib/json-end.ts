/** Returns a function that takes a JSON object or list in chunks and returns true when it is complete. */
export function newJsonEndDetector(): (piece: Buffer) => boolean {
  let depth = 0;
  let isText = false;
  /** The number of backslashes at the end of the previous chunk. */
  let slashes = 0;
  return (piece) => {
    for (let at = 0; at < piece.length; at++) {
      if (isText) {
        // Most of a payload is text, so strings are skipped with the native search.
        const found = piece.indexOf(QUOTE, at);
        const end = found === -1 ? piece.length : found;
        let from = end;
        while (from > at && piece[from - 1] === BACKSLASH) from--;
        slashes = end - from + (from === at ? slashes : 0);
        if (found === -1) return false;
        isText = slashes % 2 === 1;
        slashes = 0;
        at = found;
        continue;
      }
      const byte = piece[at];
      if (byte === QUOTE) isText = true;
      else if (byte === OBJECT || byte === LIST) depth++;
      else if ((byte === OBJECT_END || byte === LIST_END) && --depth <= 0) return true;
    }
    return false;
  };
}

const QUOTE = 0x22;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
