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
  const firstOperand = words.indexOf(args[0] ?? "", 1);
  let isPassedOn = false;
  for (const [at, word] of words.entries()) {
    if (word === "--" && !passesOn.has(program)) break;
    if (word === "--") isPassedOn = true;
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
    // Behind an operand, an option that is not declared may belong to the command that is started: `docker run IMAGE`.
    const isInner = isPassedOn || (firstOperand > 0 && firstOperand < at - 1 && table.nameOf(before) === null);
    const isOneDash = table.oneDash && !before.startsWith("--");
    const isDeclared = table.takesValue(before) && !isPassedOn;
    if (!isDeclared && ((table.complete && !isInner && !isOneDash) || !mayTake(before, word, isOneDash))) continue;
    values.push(`${before} ${word}`);
    if (hasDigit(word) && !isPath(word)) args.splice(place, 1);
  }
  return { args, values };
}

function mayTake(option: string, word: string, isOneDash: boolean): boolean {
  // A one-letter option may be a switch, but a number after it is a value.
  if (option.startsWith("--")) return mayTakeValue(option);
  return (option.length === 2 || isOneDash) && /^[\d.:-]+$/.test(word);
}

/** These hand what is behind `--` to a script or program of their own. */
const passesOn: ReadonlySet<string> = new Set(
  "npm pnpm yarn bun deno composer just task cargo dotnet nx turbo lerna".split(" "),
);

function hasDigit(word: string): boolean {
  return /\d/.test(word);
}

function isPath(word: string): boolean {
  return /[/\\]|\.[A-Za-z]\w*$/.test(word);
}
