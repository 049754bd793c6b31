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
import { parseShell } from "./parse.ts";
import type { Redirect, ShellOperator, SimpleCommand } from "./parse.ts";
import { findScriptIndex } from "./started-commands.ts";

export interface ShellCommand {
  /** The program with its subcommands: `git push`, `npm run build`, `python -m pytest`, `rg`. */
  readonly head: string;
  /** The program's name without its folder. */
  readonly program: string;
  /** Without values, sorted, each once. Grouped short flags stay together: `-rf`. */
  readonly flags: readonly string[];
  /** What is neither head nor flag. */
  readonly args: readonly string[];
  /** All its words in order, wrappers taken off; the first is the program as written. */
  readonly words: readonly string[];
  /** `X=1` before it, also behind `env`. */
  readonly assignments: readonly string[];
  /** Where a `cd` before it (or `git -C`, `make -C`) leads, as written; null where it stays. */
  readonly cwd: string | null;
  /** As written, white space normalised. */
  readonly text: string;
  readonly redirects: readonly Redirect[];
  /** What joins it to the next command. */
  readonly operator: ShellOperator | null;
  /** The programs that ran it: `["sudo", "timeout"]`. */
  readonly wrappers: readonly string[];
}

/** Every simple command of a shell text once wrappers are taken off, in order. */
export function parseCommands(shell: string): readonly ShellCommand[] {
  // Of a failing call the head, the outcome and the signature are read one after the other, each from its commands.
  if (shell === last.shell) return last.commands;
  const found: ShellCommand[] = [];
  collect(shell, { cwd: null, wrappers: [], depth: 0 }, found);
  last = { shell, commands: found };
  return found;
}

let last: { readonly shell: string; readonly commands: readonly ShellCommand[] } = { shell: "", commands: [] };

/** The command a call is about: of the last pipeline that does something, what starts it. */
export function findMainCommand(shell: string): ShellCommand | null {
  return pickMainCommand(parseCommands(shell));
}

export function pickMainCommand(commands: readonly ShellCommand[]): ShellCommand | null {
  let main: ShellCommand | null = null;
  let glance: ShellCommand | null = null;
  let inPipeline = false;
  for (const command of commands) {
    const telling = !trivialPrograms.has(command.program);
    if (telling && !inPipeline) {
      // `git commit … && git status` is about the commit.
      if (inspectionHeads.has(command.head) || writesHeredoc(command)) glance = command;
      else main = command;
    }
    // `echo x | psql`: the pipeline starts with the first command that does something.
    inPipeline = command.operator === "|" && (inPipeline || telling);
  }
  return main ?? glance ?? commands.findLast((command) => command.program !== "cd") ?? commands.at(-1) ?? null;
}

/** `cat > file <<EOF` prepares what the next command is about. */
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

/** Where a command is run: what ran it, and from which folder. */
export interface Frame {
  cwd: string | null;
  readonly wrappers: readonly string[];
  /** How many shells it is inside of. */
  readonly depth: number;
}

/** `bash -c "bash -c …"` deeper than this is read as one command. */
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
    // `command -v x` asks for a program, it does not run one.
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

/** What `bash -lc "…"`, `eval "…"` or `bash <<EOF` runs. */
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
  const { parts, rest, directory } = headOf(program, words);
  const flags = new Set<string>();
  const args: string[] = [];
  let operandsOnly = false;
  // What stands behind a script is the script's: its flags are none of the interpreter's.
  const script = scriptBehind(parts, words);
  const behind = script < 0 ? rest.length : rest.length - (words.length - script);
  for (const [at, word] of rest.entries()) {
    if (operandsOnly || !word.startsWith("-") || word === "-") args.push(word);
    else if (at >= behind) continue;
    else if (word === "--") operandsOnly = true;
    else flags.add(word.startsWith("--") ? (word.split("=", 1)[0] ?? word) : word);
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

/**
 * The script that an interpreter is handed, with what it is given there, as if it were run by itself: `tools/migrate.py up`
 * of `python3 -u tools/migrate.py up`. Null where there is none, and where it is given nothing.
 */
export function findScriptCommand(command: ShellCommand): ShellCommand | null {
  const { head, words, text, cwd } = command;
  const at = scriptBehind(head.split(" "), words);
  const script = words[at] ?? "";
  if (at < 1 || at === words.length - 1 || !/^[\w./~@+-]*\w$/.test(script)) return null;
  const own = describeCommand(words.slice(at), command, { cwd, wrappers: command.wrappers, depth: 0 });
  return { ...own, text: text.slice(Math.max(0, text.indexOf(script))) };
}

/** Below 0 also where the head names it: `python manage.py migrate`, `php artisan`. */
function scriptBehind(parts: readonly string[], words: readonly string[]): number {
  const at = findScriptIndex(parts[0] ?? "", words);
  return parts.includes(baseName(words[at] ?? "")) ? -1 : at;
}

/** Each command, before it the script that it is handed. */
export function withScripts(commands: readonly ShellCommand[]): readonly ShellCommand[] {
  return commands.flatMap((command) => [findScriptCommand(command) ?? [], command].flat());
}

interface Head {
  readonly parts: readonly string[];
  readonly rest: readonly string[];
  readonly directory: string | null;
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
    // `gh api repos/x`: what holds a slash is an operand, unless it names a package to run.
    if (parts.length > 1 && word.includes("/")) break;
    // An unknown program with flags first: what follows may be a flag's value.
    if (!known && skipped.length > 0) break;
    // So may what follows a word of a flag where nobody declared the program's flags: `bundle --out x`.
    if (values === undefined && mayTakeValue(words[at - 1] ?? "")) break;
    parts.push(word);
    wanted--;
    if (parts.length === 2 && (deeper === "all" || (deeper instanceof Set && deeper.has(word)))) wanted = 1;
  }
  return { parts, rest: [...skipped, ...words.slice(at)], directory };
}

/**
 * `rel --env staging push` may be `rel push`: of a program that nobody described, a word right behind a flag is that
 * flag's value or the subcommand. A word behind another word is the last that can be it.
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

/** These take no value, whatever the program. */
const switches = /^--(?:no-.+|yes|quiet|silent|verbose|debug|force|help|version|json|offline|dry-run)$/;

function isWithoutSubcommands(program: string): boolean {
  return hasDeclaredFlags(program) || plainPrograms.has(program);
}

/** Whether it is known of a program which of its words are subcommands and which are values of flags. */
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
