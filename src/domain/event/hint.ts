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

/** The values that an error lists as possible: `(choose from 'csv', 'json')`. */
export function findChoices(error: string): readonly string[] {
  const [, listed] = choices.exec(error)?.filter((part, at) => at === 0 || part !== undefined) ?? [];
  const values = listed?.split(",").map((one) => one.trim().replace(/^["'`]|["'`.]+$/g, "")) ?? [];
  return values.filter((value) => /^[\w.:+-]{1,40}$/.test(value)).slice(0, MOST_CHOICES);
}

const MOST_CHOICES = 40;
const choices =
  /\(choose from ([^)\n]+)\)|\[possible values: ([^\]\n]+)\]|is not one of ([^\n]+)|[Aa]llowed choices are ([^\n]+)/;

const hints: readonly RegExp[] = [
  /\bdid you mean(?: one of these| this)?[:?]?\s*["'`‘]?([^"'`’?\n]+)/i,
  /\ba similar (?:argument|subcommand|command|name) exists: ["'`]?([^"'`\n]+)/,
  /\bSome candidates are: '([^'\n]+)'/,
  /\ba package with a similar name exists: `([^`\n]+)`/,
  /\bthe most similar command is\s+(\S+)/i,
  /\b(?:perhaps|maybe) you (?:meant|want(?:ed)?)(?: to use)?:? ["'`]?([^"'`?\n]+)/i,
  /\b(?:use|try|run) ["'`]([^"'`\n]+)["'`] instead\b/i,
];
