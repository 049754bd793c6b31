/** Returns what looks like a path in a text: names joined by slashes, or one name with an extension. */
export function findPaths(text: string): readonly string[] {
  return [...new Set(text.slice(0, LONGEST).match(path) ?? [])].map((one) => one.replace(/[.,:]+$/, ""));
}

const LONGEST = 20_000;
const path =
  /(?<![\w@.+/~-])(?:~|\.{1,2})?\/?[\w@.+-]+(?:\/[\w@.+-]+)+\/?|(?<![\w@.+/~-])[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7}\b/g;
