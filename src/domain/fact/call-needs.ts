import { isRecord } from "../../lib/json.ts";
import { type ShellCommand, parseCommands, isShellTool } from "../shell/command.ts";
import { inspectionHeads } from "../shell/programs.ts";
import { findShellText } from "../shell/shell-text.ts";
import { findNamedFile } from "../text/named-file.ts";
import type { Need } from "./fact.ts";
import { resolveWrittenPath, resolveShellWord } from "./resolve-path.ts";
import { findCreatedPaths, readOnlyPrograms, findReadArguments } from "../risk/program-arguments.ts";
import { findScriptSubject } from "./scripts.ts";

/** The parts of a call that facts need. */
export interface LocatedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string | null;
}

export interface Needs {
  /** What must exist for the call to work. */
  readonly needs: readonly Need[];
  /** What it creates or changes. */
  readonly makes: readonly Need[];
}

/**
 * Returns what a call reads or runs that must exist, and what it creates. Excludes what it only checks for: a call that
 * is meant to find out needs no warning.
 */
export function findCallNeeds(call: LocatedCall): Needs {
  const shell = isShellTool(call.tool) ? findShellText(call.input) : null;
  return shell === null ? ofTool(call) : ofShell(shell, call.cwd);
}

function ofTool({ tool, input, cwd }: LocatedCall): Needs {
  const name = tool.toLowerCase();
  const { made, needed } = filesOf(name, input);
  const is = folderTools.has(name) ? "path" : "file";
  const surely = readTools.has(name) || editTools.has(name) || folderTools.has(name);
  const whole = readTools.has(name) && !isPart(input);
  const need = (path: string): readonly Need[] => {
    const subject = resolveWrittenPath(path, cwd);
    return subject === null ? [] : [{ is, subject, by: tool, surely, whole }];
  };
  const changed = editTools.has(name) ? [...made, ...needed] : made;
  return { needs: needed.flatMap(need), makes: changed.flatMap(need).map((one) => ({ ...one, surely: true })) };
}

function filesOf(
  name: string,
  input: unknown,
): { readonly made: readonly string[]; readonly needed: readonly string[] } {
  const patch = patchOf(input);
  if (patch !== null) {
    const files = [...patch.matchAll(/^\*\*\* (Update|Add|Delete) File: (.+)$/gm)];
    const of = (isAdded: boolean) =>
      files.filter(([, action]) => (action === "Add") === isAdded).map(([, , file = ""]) => file.trim());
    return { made: of(true), needed: of(false) };
  }
  const file = findNamedFile(input);
  if (file === null) return { made: [], needed: [] };
  return isMaking(name, input) ? { made: [file], needed: [] } : { made: [], needed: [file] };
}

function patchOf(input: unknown): string | null {
  const text = isRecord(input) ? (input["input"] ?? input["patch"]) : input;
  return typeof text === "string" && text.includes("*** ") ? text : null;
}

/** True if the tool writes a whole file, or if an edit creates one because there is nothing to replace. */
function isMaking(name: string, input: unknown): boolean {
  if (writeTools.has(name)) return true;
  if (!isRecord(input)) return false;
  const old = input["old_string"] ?? input["old_str"] ?? input["oldString"] ?? input["oldText"];
  return input["command"] === "create" || (editTools.has(name) && old === "");
}

function isPart(input: unknown): boolean {
  if (!isRecord(input)) return false;
  return ["offset", "limit", "start_line", "end_line", "view_range", "pages", "line_start", "startLine"].some(
    (field) => input[field] != null,
  );
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const readTools = words("read read_file view read_many_files notebookread open_file fs_read");
const editTools = words(
  "edit multiedit notebookedit str_replace_editor str_replace_based_edit_tool replace edit_file search_replace insert_edit_into_file replace_string_in_file replace_in_file apply_patch patch",
);
const writeTools = words("write write_file create_file write_to_file fs_write");
const folderTools = words("grep glob ls list list_directory grep_search search_file_content glob_files list_dir");

/** Only this many commands of a line are inspected. */
const MOST_COMMANDS = 12;

function ofShell(shell: string, folder: string | null): Needs {
  const needs: Need[] = [];
  const makes: Need[] = [];
  // Earlier commands may have created, installed or exported something that we cannot know.
  let isOpen = true;
  let isSamePath = true;
  for (const command of parseCommands(shell).slice(0, MOST_COMMANDS)) {
    const made = madeBy(command, folder);
    makes.push(...made);
    if (isOpen && !expectsFailure(command)) {
      const isMade = (need: Need) => makes.some((one) => one.subject === need.subject);
      const found = neededBy(command, folder).filter((need) => isSamePath || need.is !== "program");
      needs.push(...found.filter((need) => !isMade(need)));
    }
    if (setsEnvironment.has(command.program)) isSamePath = false;
    else if (!readOnlyPrograms.has(command.program) && !inspectionHeads.has(command.head)) isOpen = false;
  }
  return { needs, makes };
}

/** After these, a program may be found elsewhere. */
const setsEnvironment = words("source . export eval");

/** `ls x || …`, `cat x 2>/dev/null`: a failure that is hidden or handled is expected. */
function expectsFailure({ operator, redirects, program, args, flags }: ShellCommand): boolean {
  if (operator === "||" || program === "test" || program.startsWith("[")) return true;
  if (
    redirects.some(
      ({ kind, descriptor, target }) => target === "/dev/null" && (descriptor === 2 || kind.startsWith("&")),
    )
  )
    return true;
  return args.length === 0 && flags.some((flag) => /^(?:--version|-V|--help)$/.test(flag));
}

function neededBy(command: ShellCommand, base: string | null): readonly Need[] {
  const { program, head, words: all, assignments } = command;
  const folder = findCommandFolder(command, base);
  const needs: Need[] = [];
  const add = (is: Need["is"], subject: string | null, surely: boolean, whole = false) => {
    // `./...` of Go stands for all packages below.
    if (subject !== null && !/(?:^|\/)\.\.\.$/.test(subject)) needs.push({ is, subject, by: head, surely, whole });
  };
  const written = all[0] ?? "";
  if (written.includes("/")) add("path", resolveShellWord(written, folder), true);
  else if (/^[\w.+@-]+$/.test(written) && !assignments.some((one) => one.startsWith("PATH=")))
    for (const name of [written, ...command.wrappers]) add("program", name, true);
  const reads = findReadArguments(command);
  for (const word of reads.surely) add(reads.files ? "file" : "path", resolveShellWord(word, folder), true);
  for (const word of reads.perhaps) add("path", resolveShellWord(word, folder), false);
  const entered = all.indexOf("-C");
  if (entered > 0) add("path", resolveShellWord(all[entered + 1] ?? "", base), true);
  for (const { kind, target } of command.redirects)
    if (kind === "<") add("file", resolveShellWord(target, folder), true);
  add("script", findScriptSubject(command, folder), true);
  if (program === "git" || program === "gh") for (const word of remotesIn(command)) add("remote", word, true);
  return needs;
}

/** Words that may be a remote or a repository. The error tells later which of them was meant. */
function remotesIn({ head, words: all }: ShellCommand): readonly string[] {
  if (head === "git remote add" || head === "git remote") return [];
  return all.slice(1).flatMap((word) => {
    const value = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
    const bare = value.replace(/\/+$/, "");
    return bare === "" || bare.startsWith("-") ? [] : [bare];
  });
}

function madeBy(command: ShellCommand, base: string | null): readonly Need[] {
  const folder = findCommandFolder(command, base);
  const made = [
    ...findCreatedPaths(command),
    ...command.redirects.filter(({ kind }) => kind.includes(">") && kind !== ">&").map(({ target }) => target),
  ];
  return made.flatMap((word) => {
    const subject = resolveShellWord(word, folder);
    return subject === null ? [] : [{ is: "path" as const, subject, by: command.head, surely: true }];
  });
}

/** The folder in which the command runs; null if a preceding `cd` leads to an unknown place. */
export function findCommandFolder({ cwd, program }: ShellCommand, base: string | null): string | null {
  if (cwd === null || program === "cd") return cwd === null ? base : resolveShellWord(cwd, base);
  return resolveShellWord(cwd, base);
}
