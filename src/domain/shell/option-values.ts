import { mayTakeValue, type ShellCommand } from "./command.ts";
import { flagTable } from "./flags.ts";
import { splitPackageHead } from "./package-scope.ts";

/** The arguments and option values of a command, in the form that traits use. */
export interface GivenWords {
  /** Positional arguments. */
  readonly args: readonly string[];
  /** Values with their option: `--oven 7`, also for `--oven=7`. */
  readonly values: readonly string[];
}

/**
 * Splits words into arguments and option values. A value means nothing without its option. If the program's options are
 * not declared, a number after an option is its value; any other word counts as both.
 */
export function splitGivenWords(command: ShellCommand): GivenWords {
  const { words, head, program } = command;
  const { plain, of } = splitPackageHead(head);
  const table = flagTable(program, plain.split(" ").slice(1));
  const args = [...command.args];
  const values: string[] = [];
  for (const [at, word] of words.entries()) {
    if (word === "--") break;
    const [, option, value] = /^(--?[A-Za-z][\w-]*)=(.+)$/s.exec(word) ?? [];
    // The package is part of the head.
    if (of !== null && of === value) continue;
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
  // A one-letter option may be a switch, but a number after it is a value.
  return option.startsWith("--") ? mayTakeValue(option) : option.length === 2 && /^[\d.:-]+$/.test(word);
}

function hasDigit(word: string): boolean {
  return /\d/.test(word);
}

function isPath(word: string): boolean {
  return /[/\\]|\.[A-Za-z]\w*$/.test(word);
}
