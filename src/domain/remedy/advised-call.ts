import { findAdvisedCommand } from "../rule/matching/contradiction.ts";
import { type ShellCommand, findMainCommand, parseCommands } from "../shell/command.ts";

/** What a rule's sentence tells an agent to run, so that such a call can be recognised. */
export interface Advice {
  /** The head of the command; null for a path or an option, which belongs into any of the rule's commands. */
  readonly head: string | null;
  /** The heads of calls that may have its words, besides the rule's own. */
  readonly heads: readonly string[];
  /** The words that the call has, in any order and among others. */
  readonly words: readonly string[];
  readonly assignments: readonly string[];
}

/** Null if the sentence advises nothing, or a line of several commands. */
export function readAdvice(text: string): Advice | null {
  const option = /^Use `(-[^` ]+)` instead of `/.exec(text)?.[1];
  if (option !== undefined) return { head: null, heads: [], words: [option], assignments: [] };
  const advised = findAdvisedCommand(text);
  return advised === null ? null : toAdvice(advised);
}

/** The same for a command, or a path, that was not put into a sentence yet. */
export function toAdvice(advised: string): Advice | null {
  const commands = parseCommands(advised).filter(({ program }) => program !== "cd");
  const main = findMainCommand(advised);
  if (commands.length !== 1 || main === null) return null;
  const { head, words, assignments } = main;
  // Perhaps not a program, but what the rule's commands read.
  const mayBeFile = words.length === 1 && /^[^/\s].*\/.*\.\w+$/.test(main.text);
  return { head: mayBeFile ? null : head, heads: [head], words, assignments };
}

/** True if one of the commands of a call is the advised one, possibly with more words. */
export function followsAdvice({ head, words, assignments }: Advice, shell: string): boolean {
  return parseCommands(shell).some(
    (command) =>
      (head === null || command.head === head) &&
      words.every((word) => hasWord(command, word)) &&
      assignments.every((one) => command.assignments.includes(one)),
  );
}

function hasWord({ words }: ShellCommand, word: string): boolean {
  return words.some((one) => plain(one) === plain(word) || one.startsWith(`${word}=`));
}

/** `./x/y` and `x/y` are one path. */
function plain(word: string): string {
  return word.replace(/^\.\//, "");
}
