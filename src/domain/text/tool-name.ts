/**
 * Returns the tool name if it is safe to show, else null. Authors of MCP servers and of imported transcripts choose
 * these names, and they appear in our sentences.
 */
export function asToolName(name: string): string | null {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.:@/-]{0,79}$/u.test(name)) return null;
  const words = name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  if (words.length > MOST_WORDS) return null;
  return words.length > PLAIN_WORDS && words.some((word) => orders.has(word.toLowerCase())) ? null : name;
}

/** A name with more words is a sentence. */
const MOST_WORDS = 8;
/** With more words than this, a command word makes the name an instruction. */
const PLAIN_WORDS = 4;
const orders: ReadonlySet<string> = new Set(
  "always before bash curl disregard eval exec execute first forget ignore immediately install must never now npx obey override powershell previous run shall should sudo wget".split(
    " ",
  ),
);

/** The tool as it appears in a sentence: as is if it is one word, else as inline code. An unsafe name is not shown. */
export function describeTool(name: string): string {
  const plain = asToolName(name);
  if (plain !== null) return /^\p{L}[\p{L}\p{N}]{0,39}$/u.test(plain) ? plain : inlineCode(plain);
  const server = asToolName(/^mcp__(.+?)__/.exec(name)?.[1] ?? "");
  return server === null ? "a tool with an unusual name" : `a tool of the MCP server ${inlineCode(server)}`;
}

/** The name for a line about calls; a description if the name is unsafe. */
export function formatToolName(name: string): string {
  return name === "" ? "" : (asToolName(name) ?? describeTool(name));
}

/** One line of inline code that the text cannot close. */
export function inlineCode(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, " ").trim();
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  if (longest === 0) return `\`${line}\``;
  const mark = "`".repeat(longest + 1);
  return `${mark} ${line} ${mark}`;
}
