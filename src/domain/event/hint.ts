/**
 * Returns what an error suggests: "Did you mean '--target'?". At most three plain words, because we must not repeat a
 * program's whole sentence.
 */
export function findHint(error: string): string | null {
  for (const pattern of hints) {
    const offered = pattern
      .exec(error)?.[1]
      ?.trim()
      .replace(/[.,:?]+$/, "");
    if (offered !== undefined && offered.length <= 60 && /^[\w@./:+=-]+(?: [\w@./:+=-]+){0,2}$/.test(offered))
      return offered;
  }
  return null;
}

const hints: readonly RegExp[] = [
  /\bdid you mean(?: one of these| this)?:?\s*["'`‘]?([^"'`’?\n]+)/i,
  /\ba similar (?:argument|subcommand|command|name) exists: ["'`]?([^"'`\n]+)/,
  /\bthe most similar command is\s+(\S+)/i,
  /\b(?:perhaps|maybe) you (?:meant|want(?:ed)?)(?: to use)?:? ["'`]?([^"'`?\n]+)/i,
  /\b(?:use|try|run) ["'`]([^"'`\n]+)["'`] instead\b/i,
];
