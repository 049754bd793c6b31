/** Short forms and the commands they stand for. A short form must not be the name of a command. */
export const aliases: Readonly<Record<string, readonly string[]>> = {
  approve: ["rules", "approve"],
  reject: ["rules", "reject"],
  mute: ["rules", "mute"],
  search: ["sessions", "search"],
};

/**
 * The words as if the whole command had been typed: `approve ID`, `rules ID`, `config distil.minCount`. `isTerminal`: a person reads
 * what is printed.
 */
export function expandAlias(
  words: readonly string[],
  names: readonly string[],
  isTerminal: boolean,
): readonly string[] {
  const [first = "", second = ""] = words;
  const two = aliases[`${first} ${second}`];
  if (two) return [...two, ...words.slice(2)];
  const one = aliases[first];
  if (one) return [...one, ...words.slice(1)];
  const isGiven = (word: string | undefined) => word !== undefined && !word.startsWith("-");
  if (first === "report" && words.includes("--away")) return ["letter", ...ofLetter(words.slice(1), isTerminal)];
  if (first === "config" && second.includes(".") && isGiven(second))
    return ["config", isGiven(words[2]) ? "set" : "get", ...words.slice(1)];
  const isMember = names.includes(`${first} ${second}`) || names.includes(first);
  return !isMember && isId(second) && names.includes(`${first} show`) ? [first, "show", ...words.slice(1)] : words;
}

/** A person who reads the letter in a terminal has looked. A program that reads it, also through a pipe, or a letter from another time, changes nothing. */
function ofLetter(words: readonly string[], isTerminal: boolean): readonly string[] {
  const others = words.filter((word) => word !== "--away");
  const isLook = !others.some(
    (word) => word === "--json" || word === "--help" || word === "-h" || /^--since(=|$)/.test(word),
  );
  return isLook && isTerminal ? [...others, "--seen"] : others;
}

/** Every id has a digit or an underscore; no command has. */
function isId(word: string): boolean {
  return !word.startsWith("-") && /[\d_]/.test(word);
}
