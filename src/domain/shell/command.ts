import {
  inspectionHeads,
  isScript,
  plainPrograms,
  shells,
  subcommands,
  trivialPrograms,
  valueFlags,
  wrappers,
} from "./programs.ts";
import { findPackageScope, headOfPackage } from "./package-scope.ts";
import { parseShell } from "./parse.ts";
import type { Redirect, ShellOperator, SimpleCommand } from "./parse.ts";
import { findScriptIndex } from "./started-commands.ts";

export interface ShellCommand {
  /** The program with its subcommands: `git push`, `npm run build`, `npm run build -w web`, `python -m pytest`, `rg`. */
  readonly head: string;
  /** The program's name without its folder. */
  readonly program: string;
  /** Without values, sorted, each once. Grouped short flags stay together: `-rf`. */
  readonly flags: readonly string[];
  /** Everything that is neither head nor flag. */
  readonly args: readonly string[];
  /** All words in order, without wrappers; the first is the program as written. */
  readonly words: readonly string[];
  /** `X=1` before the command or after `env`. */
  readonly assignments: readonly string[];
  /** The folder set by a preceding `cd` (or `git -C`, `make -C`), as written; null if unchanged. */
  readonly cwd: string | null;
  /** As written, white space normalised. */
  readonly text: string;
  readonly redirects: readonly Redirect[];
  /** The operator between this command and the next. */
  readonly operator: ShellOperator | null;
  /** The programs that ran it: `["sudo", "timeout"]`. */
  readonly wrappers: readonly string[];
}

/** Parses every simple command of a shell text, without wrappers, in order. */
export function parseCommands(shell: string): readonly ShellCommand[] {
  // Cached: head, outcome and signature of a failing call each parse the same text in turn.
  if (shell === last.shell) return last.commands;
  const found: ShellCommand[] = [];
  collect(shell, { cwd: null, wrappers: [], depth: 0 }, found);
  last = { shell, commands: found };
  return found;
}

let last: { readonly shell: string; readonly commands: readonly ShellCommand[] } = { shell: "", commands: [] };

/** Returns the command a call is about: the first one of the last significant pipeline. */
export function findMainCommand(shell: string): ShellCommand | null {
  return pickMainCommand(parseCommands(shell));
}

export function pickMainCommand(commands: readonly ShellCommand[]): ShellCommand | null {
  let main: ShellCommand | null = null;
  let glance: ShellCommand | null = null;
  let inPipeline = false;
  for (const command of commands) {
    const isNontrivial = !trivialPrograms.has(command.program);
    if (isNontrivial && !inPipeline) {
      // `git commit … && git status` is about the commit.
      if (inspectionHeads.has(command.head) || writesHeredoc(command)) glance = command;
      else main = command;
    }
    // `echo x | psql`: the pipeline starts with its first significant command.
    inPipeline = command.operator === "|" && (inPipeline || isNontrivial);
  }
  return main ?? glance ?? commands.findLast((command) => command.program !== "cd") ?? commands.at(-1) ?? null;
}

/** `cat > file <<EOF` only prepares the next command. */
function writesHeredoc(command: ShellCommand): boolean {
  return (
    (command.program === "cat" || command.program === "tee") &&
    command.redirects.some((redirect) => redirect.body !== null)
  );
}

const shellTools = new Set(
  (
    "bash shell sh exec_command exec shell_command local_shell container.exec unified_exec run_shell_command execute execute_command run_commands run_command " +
    "run_terminal_cmd run_terminal_command run_in_terminal terminal powershell pwsh execute_bash execute_pwsh write_stdin local_shell_call developer__shell"
  ).split(" "),
);

/** Hosts name their shell tool differently; it is one tool. */
export function isShellTool(tool: string): boolean {
  return shellTools.has(tool.toLowerCase());
}

/** The context in which a command runs: its wrappers and its folder. */
export interface Frame {
  cwd: string | null;
  readonly wrappers: readonly string[];
  /** How many shells it is nested in. */
  readonly depth: number;
}

/** `bash -c "bash -c …"` nested deeper than this is treated as one command. */
export const maxNesting = 4;

function collect(shell: string, frame: Frame, into: ShellCommand[]): void {
  for (const simple of parseShell(shell)) {
    const { words, by, assignments } = unwrapWords(simple.words);
    const inside = frameInside(frame, by);
    const inner = frame.depth < maxNesting ? findInnerScript(words, simple) : null;
    if (inner !== null) {
      const from = into.length;
      collect(inner, deeperFrame(inside), into);
      const last = into.at(-1);
      if (last && into.length > from) into[into.length - 1] = { ...last, operator: simple.operator };
      continue;
    }
    if (words.length === 0) continue;
    into.push(describeCommand(words, withAssignments(simple, assignments), inside));
    enterFolder(frame, into.at(-1));
  }
}

export function frameInside(frame: Frame, by: readonly string[]): Frame {
  return by.length > 0 ? { ...frame, wrappers: [...frame.wrappers, ...by] } : frame;
}

export function deeperFrame(frame: Frame): Frame {
  return { ...frame, depth: frame.depth + 1 };
}

export function withAssignments(simple: SimpleCommand, more: readonly string[]): SimpleCommand {
  return more.length > 0 ? { ...simple, assignments: [...simple.assignments, ...more] } : simple;
}

export function enterFolder(frame: Frame, command: ShellCommand | undefined): void {
  if ((command?.program === "cd" || command?.program === "pushd") && command.args[0] !== undefined)
    frame.cwd = joined(frame.cwd, command.args[0]);
}

function joined(from: string | null, to: string): string {
  if (from === null || /^(?:[/~$\\]|[A-Za-z]:)/.test(to)) return to;
  return to === "." ? from : `${from.replace(/\/+$/, "")}/${to}`;
}

export function unwrapWords(all: readonly string[]): {
  readonly words: readonly string[];
  readonly by: readonly string[];
  readonly assignments: readonly string[];
} {
  let from = 0;
  const by: string[] = [];
  const assignments: string[] = [];
  for (;;) {
    const name = baseName(all[from] ?? "");
    const wrapper = wrappers.get(name);
    if (!wrapper || all.length - from < 2) break;
    // `command -v x` looks up a program and does not run it.
    if (name === "command" && /^-[vV]/.test(all[from + 1] ?? "")) break;
    let at = from + 1;
    let operands = wrapper.operands;
    const set: string[] = [];
    for (; at < all.length; at++) {
      const word = all[at] ?? "";
      if (wrapper.values.has(word)) at++;
      else if (word.startsWith("-") && word.length > 1) continue;
      else if (settingVariables.has(name) && /^[A-Za-z_]\w*=/.test(word)) set.push(word);
      else if (operands > 0) operands--;
      else break;
    }
    // A wrapper with nothing to run (`env`, `time`) is the command itself.
    if (at >= all.length) break;
    by.push(name);
    for (const one of set) assignments.push(one);
    from = at;
  }
  return { words: from === 0 ? all : all.slice(from), by, assignments };
}

/** `env X=1 make`, `sudo X=1 make`. */
const settingVariables: ReadonlySet<string> = new Set(["env", "sudo", "doas"]);

/** Returns the script that `bash -lc "…"`, `eval "…"` or `bash <<EOF` runs, or null. */
export function findInnerScript(words: readonly string[], simple: SimpleCommand): string | null {
  const name = baseName(words[0] ?? "");
  if (name === "eval") return words.length > 1 ? words.slice(1).join(" ") : null;
  if (!shells.has(name)) return null;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(word)) return words[at + 1] ?? null;
    if (!word.startsWith("-")) return null;
  }
  return simple.redirects.find((redirect) => redirect.body !== null)?.body ?? null;
}

export function describeCommand(words: readonly string[], simple: SimpleCommand, frame: Frame): ShellCommand {
  const program = baseName(words[0] ?? "");
  const { parts, rest, directory, of } = headWithPackage(program, words);
  const flags = new Set<string>();
  const args: string[] = [];
  let operandsOnly = false;
  // Flags after a script belong to the script, not to the interpreter.
  const script = scriptBehind(parts, of);
  const behind = script < 0 ? rest.length : rest.length - (of.length - script);
  for (const [at, word] of rest.entries()) {
    if (operandsOnly || !word.startsWith("-") || word === "-") args.push(word);
    else if (at >= behind) continue;
    else if (word === "--") operandsOnly = true;
    else flags.add(withoutValue(word));
  }
  return {
    head: parts.join(" "),
    program,
    flags: flags.size > 1 ? [...flags].toSorted() : [...flags],
    args,
    words,
    assignments: simple.assignments,
    cwd: directory === null ? frame.cwd : joined(frame.cwd, directory),
    text: (/[^\S ]| {2}/.test(simple.text) ? simple.text.replace(/\s+/g, " ") : simple.text).trim(),
    redirects: simple.redirects,
    operator: simple.operator,
    wrappers: frame.wrappers,
  };
}

/** `--out` for `--out=x`, `-out-file` for `-out-file=x`; `-Da.b=c` is a setting and stays whole. */
function withoutValue(flag: string): string {
  return flag.startsWith("--") || /^-[A-Za-z][\w-]*=/.test(flag) ? (flag.split("=", 1)[0] ?? flag) : flag;
}

/**
 * Returns the script that an interpreter runs, with its arguments, as a command: `tools/migrate.py up` for
 * `python3 -u tools/migrate.py up`. Null if there is no script, or if it has no arguments.
 */
export function findScriptCommand(command: ShellCommand): ShellCommand | null {
  const { head, words, text, cwd } = command;
  const at = scriptBehind(head.split(" "), words);
  const script = words[at] ?? "";
  if (at < 1 || at === words.length - 1 || !/^[\w./~@+-]*\w$/.test(script)) return null;
  const own = describeCommand(words.slice(at), command, { cwd, wrappers: command.wrappers, depth: 0 });
  return { ...own, text: text.slice(Math.max(0, text.indexOf(script))) };
}

/**
 * Returns the index of the script, or -1 if there is none or the head already contains it: `python manage.py migrate`,
 * `php artisan`.
 */
function scriptBehind(parts: readonly string[], words: readonly string[]): number {
  const at = findScriptIndex(parts[0] ?? "", words);
  return parts.includes(baseName(words[at] ?? "")) ? -1 : at;
}

/** Inserts before each command the script that it runs, if any. */
export function withScripts(commands: readonly ShellCommand[]): readonly ShellCommand[] {
  return commands.flatMap((command) => [findScriptCommand(command) ?? [], command].flat());
}

interface Head {
  readonly parts: readonly string[];
  readonly rest: readonly string[];
  readonly directory: string | null;
}

/** `of`: the words that the head and the rest come from, without the choice of a package. */
function headWithPackage(program: string, words: readonly string[]): Head & { readonly of: readonly string[] } {
  const scope = findPackageScope(program, words);
  const head = scope === null ? null : headOf(program, scope.bare);
  const parts = scope === null || head === null ? null : headOfPackage(head.parts, scope);
  return scope === null || head === null || parts === null
    ? { ...headOf(program, words), of: words }
    : { ...head, parts, of: scope.bare };
}

function headOf(program: string, words: readonly string[]): Head {
  const parts = [program];
  if (/^(?:python|pypy)[\d.]*$/.test(program)) return moduleHead(program, words);
  if (program === "command") return { parts: ["command", "-v"], rest: words.slice(2), directory: null };
  const deeper = subcommands.get(program);
  const known = deeper !== undefined;
  const values = valueFlags.get(program);
  const skipped: string[] = [];
  let directory: string | null = null;
  let at = 1;
  if (!known && plainPrograms.has(program)) return { parts, rest: words.slice(1), directory };
  let wanted = 1;
  for (; at < words.length && wanted > 0; at++) {
    const word = words[at] ?? "";
    if (word === "--") break;
    if (word.startsWith("-") || (program === "cargo" && word.startsWith("+"))) {
      skipped.push(word);
      if (values?.has(word)) {
        if (directories.has(word)) directory = words[at + 1] ?? null;
        at++;
      }
      continue;
    }
    if (!(known ? looksNamed(word) : looksLikeSubcommand(word))) break;
    // `gh api repos/x`: a word with a slash is an operand, unless it names a package to run.
    if (parts.length > 1 && word.includes("/")) break;
    // An unknown program with flags first: the next word may be a flag's value.
    if (!known && skipped.length > 0) break;
    // The same for a long flag of a program whose flags are not declared: `bundle --out x`.
    if (values === undefined && mayTakeValue(words[at - 1] ?? "")) break;
    parts.push(word);
    wanted--;
    if (parts.length === 2 && (deeper === "all" || (deeper instanceof Set && deeper.has(word)))) wanted = 1;
  }
  return { parts, rest: [...skipped, ...words.slice(at)], directory };
}

/**
 * The other possible heads: `rel --env staging push` may be `rel push`. If a program is not declared, a word after a
 * flag is either its value or the subcommand. The first word that follows another word is the last candidate.
 */
export function headsBehindFlags({ head, program, words }: ShellCommand): readonly string[] {
  if (head !== program || words[1]?.startsWith("-") !== true || isWithoutSubcommands(program)) return [];
  const heads: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") break;
    if (word.startsWith("-")) continue;
    if (looksLikeSubcommand(word)) heads.push(`${program} ${word}`);
    if (!/^-[^=]*$/.test(words[at - 1] ?? "")) break;
  }
  return heads;
}

export function mayTakeValue(word: string): boolean {
  return /^--[a-z][\w-]*$/.test(word) && !switches.test(word);
}

/** Flags that never take a value, in any program. */
const switches = /^--(?:no-.+|yes|quiet|silent|verbose|debug|force|help|version|json|offline|dry-run)$/;

function isWithoutSubcommands(program: string): boolean {
  return hasDeclaredFlags(program) || plainPrograms.has(program);
}

/** True if we know which words of a program are subcommands and which are values of flags. */
export function hasDeclaredFlags(program: string): boolean {
  return subcommands.has(program) && valueFlags.has(program);
}

const directories = new Set(["-C", "--directory", "--cwd", "--prefix", "--dir", "--project-dir"]);

function moduleHead(program: string, words: readonly string[]): Head {
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "-m" && words[at + 1] !== undefined) {
      return {
        parts: [program, "-m", words[at + 1] ?? ""],
        rest: [...words.slice(1, at), ...words.slice(at + 2)],
        directory: null,
      };
    }
    if (word === "-W" || word === "-X") at++;
    else if (!word.startsWith("-") || word === "-c") break;
  }
  const script =
    words[1] !== undefined && /(?:^|\/)manage\.py$/.test(words[1]) && words[2] !== undefined && looksNamed(words[2]);
  if (script) return { parts: [program, "manage.py", words[2] ?? ""], rest: words.slice(3), directory: null };
  return { parts: [program], rest: words.slice(1), directory: null };
}

function looksNamed(word: string): boolean {
  return word.length <= 40 && /^[A-Za-z@][\w@:.+/-]*$/.test(word) && !isScript(word);
}

function looksLikeSubcommand(word: string): boolean {
  return /^[a-z][a-z-]{1,19}$/.test(word);
}

function baseName(word: string): string {
  const name = word.replace(/\/+$/, "");
  const slash = Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\"));
  if (slash < 0 || /[\s$`]/.test(name)) return name;
  const base = name.slice(slash + 1);
  // A project's own `bin/test` is not the shell's `test`.
  return trivialPrograms.has(base) || base === "test" ? name.split("/").slice(-2).join("/") : base;
}
