import { mayTakeValue, type ShellCommand, parseCommands } from "./command.ts";
import { parseEveryCommand } from "./every-command.ts";
import { type FlagTable, flagTable } from "./flags.ts";
import { splitPackageHead } from "./package-scope.ts";
import type { Redirect, ShellOperator } from "./parse.ts";
import { withCanonicalProgram } from "./program-aliases.ts";
import { wrappers } from "./programs.ts";
import { type Flag, type Operand, parseWords } from "./read-words.ts";

/**
 * A command as a person names it: program, subcommands, flags in any order, arguments in order. A call matches if it
 * has all of these, whatever else it has: `sudo git push origin main -f` matches `git push --force`.
 */
export interface NamedCommand {
  readonly program: string;
  readonly subcommands: readonly string[];
  readonly flags: readonly Flag[];
  readonly args: readonly Operand[];
  readonly table: FlagTable;
  /** `sudo rm` only matches calls under sudo. */
  readonly wrappers: readonly string[];
  readonly assignments: readonly string[];
  readonly redirects: readonly Redirect[];
  /** The operator between this command and the next: `curl | sh`. */
  readonly operator: ShellOperator | null;
}

/** Parses the commands that a text names, in order; empty if it names none. */
export function parseNamedCommands(text: string): readonly NamedCommand[] {
  const known = read.get(text);
  if (known) return known;
  if (read.size >= MOST_READ) read.clear();
  const named = parseCommands(text).map(namedCommand);
  read.set(text, named);
  return named;
}

/** Cached, because the texts of rules are needed again for each call. */
const read = new Map<string, readonly NamedCommand[]>();
const MOST_READ = 500;

/** True if a shell text runs the named commands, in any of its commands and however they are started. */
export function runsNamedCommands(named: readonly NamedCommand[], shell: string): boolean {
  const [first] = named;
  if (first === undefined) return false;
  const commands = parseEveryCommand(shell);
  if (named.length === 1) return commands.some((command) => isRunOfNamed(first, command));
  return runsInTurn(named, commands);
}

/** The named commands must occur in order; those joined by a pipe must be in one pipeline. */
function runsInTurn(named: readonly NamedCommand[], commands: readonly ShellCommand[]): boolean {
  const isNext = (at: number, command: ShellCommand): boolean => {
    const wanted = named[at];
    if (wanted === undefined || !isRunOfNamed(wanted, command)) return false;
    return at === named.length - 1 || wanted.operator !== "|" || command.operator === "|";
  };
  let at = 0;
  for (const command of commands) {
    if (isNext(at, command)) at++;
    else if (named[at - 1]?.operator === "|" && command.operator !== "|") at = isNext(0, command) ? 1 : 0;
    if (at === named.length) return true;
  }
  return false;
}

export function isRunOfNamed(named: NamedCommand, command: ShellCommand): boolean {
  if (!named.wrappers.every((one) => command.wrappers.includes(one))) return false;
  if (named.subcommands.length + named.flags.length + named.args.length === 0 && wrappers.has(named.program))
    if (command.wrappers.includes(named.program)) return true;
  const words = withCanonicalProgram([programOf(command), ...command.words.slice(1)]);
  if (named.program !== words[0]) return false;
  if (!named.assignments.every((one) => command.assignments.includes(one))) return false;
  if (!named.redirects.every((one) => command.redirects.some((other) => isSameRedirect(one, other)))) return false;
  const { flags, operands } = parseWords(words.slice(1), named.table);
  if (!named.flags.every((one) => flags.some((other) => isSameFlag(one, other)))) return false;
  const rest = behindSubcommands(named, operands);
  return rest !== null && holdsInOrder(named, rest, flags);
}

function namedCommand(command: ShellCommand): NamedCommand {
  const typed = [programOf(command), ...command.words.slice(1)];
  const words = withCanonicalProgram(typed);
  const [program = ""] = words;
  // As an interpreter's module, its subcommand is not in the head.
  const isModule = words.length < typed.length;
  const head = isModule ? words.slice(1, 2) : splitPackageHead(command.head).plain.split(" ").slice(1);
  const table = flagTable(program, head);
  const { flags, operands } = parseWords(words.slice(1), table);
  const isSubcommand = (operand: Operand, at: number) => operand.text === head[at];
  const firstArg = operands.findIndex((operand, at) => !isSubcommand(operand, at));
  const count = firstArg < 0 ? operands.length : firstArg;
  return {
    program,
    subcommands: head.slice(0, count).map((word) => aliasOf(program, word)),
    flags: flags.map((flag) => ({ ...flag, perhaps: null })),
    args: operands.slice(count),
    table,
    wrappers: command.wrappers,
    assignments: command.assignments,
    redirects: command.redirects.filter((redirect) => redirect.descriptor === null),
    operator: command.operator,
  };
}

function programOf(command: ShellCommand): string {
  return command.program.replace(/\.(?:exe|cmd)$/i, "");
}

/** The operands after the subcommands; null if the subcommands differ. Skips only words that may be a flag's value. */
function behindSubcommands(named: NamedCommand, operands: readonly Operand[]): readonly Operand[] | null {
  let found = 0;
  for (const [at, operand] of operands.entries()) {
    if (found === named.subcommands.length) return operands.slice(at);
    if (aliasOf(named.program, plainPath(operand.text)) === named.subcommands[found]) found++;
    else if (operand.behind === null || named.table.complete) return null;
  }
  return found === named.subcommands.length ? [] : null;
}

function holdsInOrder({ args, table }: NamedCommand, operands: readonly Operand[], flags: readonly Flag[]): boolean {
  let at = 0;
  for (const arg of args) {
    const { text, behind } = arg;
    const wanted = plainPath(text);
    const ofItsFlag = flags.filter((flag) => flag.name === behind);
    if (ofItsFlag.some((flag) => isSameText(wanted, flag.value) || isSameText(wanted, flag.perhaps))) continue;
    const isValue = isOptionValue(arg, table);
    // Only where nothing stands behind the option, it may be a switch: `wipe prod --all` for `wipe --all prod`.
    if (isValue && !ofItsFlag.some((flag) => flag.value === null && flag.perhaps === null)) return false;
    const isThis = (operand: Operand) =>
      isSameText(wanted, plainPath(operand.text)) && !(isValue && isOptionValue(operand, table));
    while (at < operands.length && !isThis(operands[at] ?? nothing)) at++;
    if (at === operands.length) return false;
    at++;
  }
  return true;
}

const nothing: Operand = { text: "", behind: null };

/**
 * True for a word directly behind a long option that nobody declared: `prod` in `ship --env prod` is the value of
 * `--env`, and nothing else.
 */
export function isOptionValue({ behind }: Operand, { complete }: Pick<FlagTable, "complete">): boolean {
  return behind !== null && behind.length > 2 && !complete && mayTakeValue(behind.replace(/^-(?!-)/, "--"));
}

function isSameFlag(wanted: Flag, flag: Flag): boolean {
  if (wanted.name !== flag.name) return false;
  if (wanted.value === null) return flag.value !== "false";
  return isSameText(wanted.value, flag.value) || isSameText(wanted.value, flag.perhaps);
}

/**
 * One word is compared as it is written. Several words in quotes are the beginning of a text, or of a part of it behind
 * a semicolon: `'DROP TABLE'` is in `'begin; drop table orders'`.
 */
function isSameText(wanted: string, given: string | null): boolean {
  if (given === null || given === wanted || !/\S\s+\S/.test(wanted)) return given === wanted;
  const plain = (text: string) => text.trim().replaceAll(/\s+/g, " ").toLowerCase();
  const start = plain(wanted);
  return given.split(";").some((part) => plain(part).startsWith(start) && !/^\w/.test(plain(part).slice(start.length)));
}

function isSameRedirect(one: Redirect, other: Redirect): boolean {
  return one.kind === other.kind && plainPath(one.target) === plainPath(other.target);
}

/** `./build/` is `build`. */
function plainPath(text: string): string {
  return text.length > 2 ? text.replace(/^\.\/+(?=.)/, "").replace(/(?<=.)\/+$/, "") : text;
}

function aliasOf(program: string, word: string): string {
  return aliases.get(program)?.get(word) ?? word;
}

/** Documented aliases of subcommands. */
const aliases: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    "npm",
    new Map([
      ["i", "install"],
      ["add", "install"],
      ["in", "install"],
      ["un", "uninstall"],
      ["rm", "uninstall"],
      ["remove", "uninstall"],
      ["t", "test"],
      ["run-script", "run"],
      ["x", "exec"],
    ]),
  ],
  [
    "pnpm",
    new Map([
      ["i", "install"],
      ["rm", "remove"],
      ["un", "remove"],
    ]),
  ],
  [
    "cargo",
    new Map([
      ["b", "build"],
      ["t", "test"],
      ["r", "run"],
      ["rm", "remove"],
    ]),
  ],
]);
