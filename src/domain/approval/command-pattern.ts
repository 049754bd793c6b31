/**
 * The word of a command that is a pattern or a script and names no file: in `grep -rn PASS .`, `PASS`. Null if it has none,
 * or if the text does not tell. `words`: behind the program.
 */
export function findPattern(program: string, words: readonly string[]): string | null {
  const isGit = program === "git";
  if (isGit ? words[0] !== "grep" : !programs.has(program)) return null;
  const given = isGit ? words.slice(1) : words;
  // The pattern is the value of an option, and each operand a file. Such an option may stand in a group: `-ne`.
  if (given.some((word) => /^-[A-Za-z]*[ef]|^--(?:regexp|file|expression)/.test(word))) return null;
  const first = given.find((word, at) => word !== "--" && !word.startsWith("-") && !isValue(given[at - 1]));
  return first ?? null;
}

/** True if the word behind this option is its value. */
function isValue(option: string | undefined): boolean {
  return option !== undefined && /^-[A-Za-z]*[ABCmtgTd]$/.test(option);
}

const programs: ReadonlySet<string> = new Set(["grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "jq"]);
