import { mayTakeValue, type ShellCommand } from "./command.ts";
import { flagTable } from "./flags.ts";

/** What a command is given, each as traits tell it. */
export interface GivenWords {
  /** What stands for itself. */
  readonly args: readonly string[];
  /** What an option was given, with the option: `--oven 7`, also where it was typed as `--oven=7`. */
  readonly values: readonly string[];
}

/**
 * A value means nothing without its option. Where nobody declared the program's options, a number behind one is its value;
 * of any other word that cannot be told, so that it is both.
 */
export function splitGivenWords(command: ShellCommand): GivenWords {
  const { words, head, program } = command;
  const table = flagTable(program, head.split(" ").slice(1));
  const args = [...command.args];
  const values: string[] = [];
  for (const [at, word] of words.entries()) {
    if (word === "--") break;
    const [, option, value] = /^(--?[A-Za-z][\w-]*)=(.+)$/s.exec(word) ?? [];
    if (option !== undefined && value !== undefined) {
      values.push(`${option} ${value}`);
      if (!hasDigit(value)) args.push(value);
    }
    const before = words[at - 1] ?? "";
    if (at < 2 || word.startsWith("-") || !/^--?[A-Za-z]/.test(before) || before.includes("=")) continue;
    const place = args.indexOf(word);
    if (place < 0) continue;
    const isDeclared = table.takesValue(before);
    if (!isDeclared && (table.complete || !mayTake(before, word))) continue;
    values.push(`${before} ${word}`);
    if (hasDigit(word) && !isPath(word)) args.splice(place, 1);
  }
  return { args, values };
}

function mayTake(option: string, word: string): boolean {
  // A letter may well be a switch: a number behind it is a value all the same.
  return option.startsWith("--") ? mayTakeValue(option) : option.length === 2 && /^[\d.:-]+$/.test(word);
}

function hasDigit(word: string): boolean {
  return /\d/.test(word);
}

function isPath(word: string): boolean {
  return /[/\\]|\.[A-Za-z]\w*$/.test(word);
}
