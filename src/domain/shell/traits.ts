import { isRecord } from "../../lib/json.ts";
import { isCut } from "../../lib/text.ts";
import { relativePathWithin } from "../workspace.ts";
import { findAddress } from "./address.ts";
import type { ShellCommand } from "./command.ts";
import { splitGivenWords } from "./option-values.ts";
import { findPackageScope } from "./package-scope.ts";
import { plainPath } from "./plain-path.ts";
import { findRunScript } from "./run-script.ts";
import { manifests } from "./script-runners.ts";
import { traitsOfOwnSettings } from "./variables.ts";

/**
 * Returns what is known about a call before it runs, as short texts: `flag -A`, `arg pulls/comments/#/replies`,
 * `arg --oven 7`, `address localhost:4000`, `in web`, `skill=commit`, `no extension`, `call npm test`. Matchers use
 * only these. A text with numbers gives two traits, masked and exact, because a rule may be about the shape or about
 * one value.
 */
export function traitsOfCommand(command: ShellCommand, at: CallLocation): readonly string[] {
  const found: string[] = [];
  for (const flag of command.flags.slice(0, MOST)) found.push(`flag ${flag}`);
  const { args, values } = splitGivenWords(command);
  for (const arg of args.slice(0, MOST)) found.push(...traitsOfArgument(plainPath(arg, command.program), at));
  for (const value of values.slice(0, MOST)) found.push(...traitsOfValue(value));
  for (const word of addressWords(command)) found.push(...traitsOfAddress(word));
  for (const wrapper of command.wrappers) found.push(`under ${wrapper}`);
  found.push(...traitsOfOwnSettings(command));
  const program = /^\S*\/\S+/.exec(command.text.replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, ""))?.[0];
  if (program !== undefined && program.endsWith(command.program)) found.push(`program ${plainPath(program, null)}`);
  if (program !== undefined && environment.test(program)) found.push(IN_ENVIRONMENT);
  const script = findRunScript(command)?.script ?? "";
  // The head names only the file: `python3 manage.py` for `python3 backend/manage.py`.
  if (script.includes("/") && command.head.split(" ").includes(script.slice(script.lastIndexOf("/") + 1)))
    found.push(`program ${script}`);
  if (command.cwd !== null) {
    found.push(...shapes("enters ", bare(command.cwd)));
    if (isInside(command.cwd, at.cwd)) found.push("enters where it is");
  }
  if (namesItsFolder(command, at.cwd)) found.push(NAMES_ITS_FOLDER);
  const folder = folderIn(at);
  if (folder !== null) found.push(...shapes("in ", folder));
  const folderOfScript = findScriptFolder(command, at);
  if (folderOfScript !== null) found.push(SCRIPT_FOLDER_TRAIT + folderOfScript);
  found.push(...traitOfCall(command));
  return found;
}

/** A program of a Python environment, called by its path: `.venv/bin/pip`. */
export const IN_ENVIRONMENT = "in a virtual environment";

const environment = /(?:^|\/)(?:\.?v?env|\.?virtualenv)[\w.-]*\/(?:bin|Scripts)\//;

/** `script in web`: the folder in which a script of a package is run; `.` for the workspace's root. */
export const SCRIPT_FOLDER_TRAIT = "script in ";

/** Null for other programs, if the call names its package, and if the folder is unknown. */
function findScriptFolder({ program, words, cwd }: ShellCommand, at: CallLocation): string | null {
  if (!manifests.has(program) || at.cwd === null || findPackageScope(program, words) !== null) return null;
  if (cwd !== null && /^[~$\\-]/.test(cwd)) return null;
  const entered = cwd === null ? at.cwd : cwd.startsWith("/") ? cwd : `${at.cwd}/${cwd}`;
  return folderIn({ cwd: withoutDots(entered), workspace: at.workspace });
}

function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/"))
    if (part === "..") parts.pop();
    else if (part !== "." && (part !== "" || parts.length === 0)) parts.push(part);
  return parts.join("/");
}

/** `call psql -c "select 1"`: the whole command as typed, for a rule that is about this very call. */
export const CALL_TRAIT = "call ";

function traitOfCall({ text, words }: ShellCommand): readonly string[] {
  const [first = ""] = words;
  const typed = text.replace(/(?:\s+\d*(?:&>>?|>>?|<)(?:&\d|\s*\S+))+$/, "");
  if (typed.length > LONGEST_CALL || typed.includes("\n")) return [];
  return [CALL_TRAIT + (typed.startsWith(first) ? plainPath(first, null) + typed.slice(first.length) : typed)];
}

const LONGEST_CALL = 120;

export function traitsOfInput(call: CallLocation & { readonly input: unknown }): readonly string[] {
  const { input } = call;
  if (!isRecord(input)) return [];
  const found: string[] = [];
  for (const [name, value] of Object.entries(input).slice(0, MOST * 2)) {
    found.push(`field ${name}`);
    if (typeof value === "boolean") found.push(`${name}=${value}`);
    if (typeof value !== "string") continue;
    const plain = pathFields.has(name) ? plainPath(value, null) : value;
    if (value.length <= LONGEST && !value.includes("\n")) found.push(...shapes(`${name}=`, plain));
    if (pathFields.has(name)) found.push(...traitsOfPath(value), ...foldersOf(value, call));
    if (/^\s{0,6}\d+[→\t]/.test(value)) found.push(`${name} with line numbers`);
  }
  const { old_string: before, new_string: after } = input;
  // Stored texts may be cut, so two long texts that differ at the end can look equal.
  if (typeof before === "string" && before === after && !isCut(before)) found.push("old_string is new_string");
  const folder = folderIn(call);
  if (folder !== null) found.push(...shapes("in ", folder));
  return found;
}

/** The place from which a call is made. */
export interface CallLocation {
  readonly cwd: string | null;
  readonly workspace: string | null;
}

const MOST = 8;
const LONGEST = 80;

const pathFields: ReadonlySet<string> = new Set([
  "file_path",
  "path",
  "filePath",
  "notebook_path",
  "target_file",
  "absolute_path",
]);

function traitsOfArgument(arg: string, at: CallLocation): readonly string[] {
  if (arg.includes("\n")) return ["argument of many lines"];
  // Python allows no block after a semicolon. Shell keywords never appear as arguments.
  if (/;\s*(?:class|def|for|while|if|with|try|async)\b[^;]*:/.test(arg)) return ["block after a semicolon"];
  if (arg.length > LONGEST || /\s/.test(arg)) return ["argument of many words"];
  const extension = /\.[A-Za-z]\w{0,7}$/.exec(arg)?.[0];
  return [
    ...shapes("arg ", arg),
    ...(extension === undefined ? [] : [`extension ${extension}`]),
    ...(arg.includes("/") ? foldersOf(arg, at) : []),
  ];
}

function traitsOfValue(value: string): readonly string[] {
  return value.length > LONGEST || /\s.*\s/s.test(value) ? [] : shapes("arg ", value);
}

/** The words that may be addresses; `nc` and `telnet` take host and port as two words. */
function addressWords({ program, words, args }: ShellCommand): readonly string[] {
  const [host = "", port = ""] = args.slice(-2);
  return hostAndPort.has(program) && /^\d+$/.test(port) ? [`${host}:${port}`] : words.slice(1);
}

const hostAndPort: ReadonlySet<string> = new Set(["nc", "ncat", "netcat", "telnet"]);

function traitsOfAddress(word: string): readonly string[] {
  const address = findAddress(word.replace(/^--?[A-Za-z][\w-]*=/, ""));
  return address === null ? [] : [ADDRESS_TRAIT + address];
}

/** `address localhost:4000`: the service that a call connects to. */
export const ADDRESS_TRAIT = "address ";

/** The two outermost folders of a path within the workspace: `below web`, `below web/src`. */
function foldersOf(path: string, at: CallLocation): readonly string[] {
  // A workspace that is only a project name has no folder.
  const inside =
    [at.workspace, at.cwd].flatMap((folder) => (folder && relativePathWithin(folder, path)) ?? [])[0] ?? path;
  if (/^(?:[/~$\\-]|[A-Za-z]+:)/.test(inside)) return [];
  const folders = inside.replace(/^\.\//, "").split("/").slice(0, -1);
  const [first, second] = folders;
  if (first === undefined || first === "" || first === "..") return [];
  return [...shapes("below ", first), ...(second === undefined ? [] : shapes("below ", `${first}/${second}`))];
}

function traitsOfPath(path: string): readonly string[] {
  const base = path.split(/[/\\]/).at(-1) ?? "";
  const extension = /\.[A-Za-z]\w{0,9}$/.exec(base)?.[0];
  if (extension !== undefined) return [`extension ${extension}`];
  return base.startsWith(".") || /^[A-Z][A-Za-z]*$/.test(base) ? [] : ["no extension"];
}

function shapes(kind: string, text: string): readonly string[] {
  const shape = maskNumbers(text);
  return shape === text ? [kind + text] : [kind + shape, kind + text];
}

/** Masks numbers and hashes, which differ from case to case. The rest is the shape. */
export function maskNumbers(text: string): string {
  return text.replace(/\b[0-9a-f]{7,}\b|\d+/gi, (found) => (/\d/.test(found) ? "#" : found));
}

function bare(path: string): string {
  return path.replace(/\/+$/, "");
}

/** The folder relative to the workspace; `.` for its root. */
function folderIn({ cwd, workspace }: CallLocation): string | null {
  if (cwd === null || workspace === null) return null;
  const inside = relativePathWithin(workspace, cwd);
  if (inside === null) return null;
  return inside === "" ? "." : bare(inside);
}

/** A relative path that repeats the folders the shell is in: `cmd/cli/x.go` in `…/cmd/cli`. */
export const NAMES_ITS_FOLDER = "names the folder it is in";

function namesItsFolder({ cwd, args }: ShellCommand, from: string | null): boolean {
  if (cwd === null) return args.some((arg) => arg.includes("/") && beginsWithEndOf(arg, from));
  if (!isRelative(cwd)) return args.some((arg) => arg.includes("/") && beginsWithEndOf(arg, cwd));
  return beginsWithEndOf(cwd, from);
}

function isRelative(path: string): boolean {
  return !/^(?:[/~$\\-]|\.\.|[A-Za-z]:)/.test(path);
}

function beginsWithEndOf(path: string, folder: string | null): boolean {
  if (folder === null || !isRelative(path)) return false;
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  const folders = folder.split("/").filter((name) => name !== "");
  return names.some((_, at) => {
    const begins = names.slice(0, at + 1);
    return begins.every((name, i) => folders[folders.length - begins.length + i] === name);
  });
}

/** True for `cd web` in a folder that is already `web`. */
function isInside(to: string, cwd: string | null): boolean {
  if (cwd === null || /^(?:[/~$\\]|\.\.|[A-Za-z]:)/.test(to)) return false;
  const name = to.replace(/^\.\//, "").replace(/\/+$/, "");
  return name !== "" && name !== "." && cwd.replace(/\/+$/, "").endsWith(`/${name}`);
}
