/** Tells from its bytes, however they are cut, when a JSON object or list is whole. */
export function jsonEnd(): (piece: Uint8Array) => boolean {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (piece) => {
    for (const byte of piece) {
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
      } else if (byte === QUOTE) isText = true;
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
