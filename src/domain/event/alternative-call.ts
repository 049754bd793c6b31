import { type ShellCommand, isShellTool, findMainCommand } from "../shell/command.ts";
import { splitPackageHead } from "../shell/package-scope.ts";
import { findShellText } from "../shell/shell-text.ts";
import { typedHead } from "../shell/typed-head.ts";
import { isEditTool } from "../text/edit-text.ts";
import { findNamedFile } from "../text/named-file.ts";
import { isSameScript } from "../text/same-words.ts";
import { shareScriptWord } from "../text/script-names.ts";
import type { Event } from "./event.ts";
import { findHint, findProgramsInstead } from "./hint.ts";

type FailedAttempt = Pick<Event, "tool" | "input" | "error">;

/**
 * True if a later, different command does what the failed one was meant to do: the same command without its first word
 * or with words before it, the command that the error suggests, a script with a similar name, another subcommand if the
 * first is unknown, or, if the program is missing, another one on the same file or another way to run tests.
 */
export function isAlternativeCall(failed: FailedAttempt, later: Pick<Event, "tool" | "input">): boolean {
  if (failed.tool === null || later.tool === null) return false;
  const after = isShellTool(later.tool) ? findMainCommand(findShellText(later.input) ?? "") : null;
  if (!isShellTool(failed.tool)) return isAlternativeToolCall(failed, later, after);
  const before = findMainCommand(findShellText(failed.input) ?? "");
  if (before === null || after === null || before.text === after.text || areOfOtherPackages(before, after))
    return false;
  if (isOtherSubcommand(before, after, failed.error ?? "")) return true;
  if (inspectionPrograms.has(after.program)) return false;
  return (
    isWithoutFirst(before, after) ||
    findAddedPrefix(before, after) !== null ||
    isOffered(findHint(failed.error ?? ""), after) ||
    isOfferedProgram(before, after, failed.error ?? "") ||
    isLikeScript(before, after, failed.error ?? "") ||
    (missing.test(failed.error ?? "") && sharesFile(before, after)) ||
    runsTestsInstead(before, after, failed.error ?? "")
  );
}

/** A test runner that is not installed, and a command that runs the project's tests without it. */
export function runsTestsInstead(before: ShellCommand, after: ShellCommand, error: string): boolean {
  return missing.test(error) && isTestRunner(before) && findTestCommand(after) !== null;
}

/** Returns what was put before the same command: `./tools/with-db` for `./tools/with-db ./tools/runtests`. */
export function findAddedPrefix(before: ShellCommand, after: ShellCommand): string | null {
  const own = ` ${before.text}`;
  if (inspectionPrograms.has(after.program) || checkers.has(after.program) || !after.text.endsWith(own)) return null;
  return after.text.slice(0, -own.length);
}

/** Returns the command up to the word that says it runs tests, or null. */
export function findTestCommand(command: ShellCommand): string | null {
  const { head, words } = command;
  const inHead = head.split(" ").some((word) => saysTests(baseOf(word)));
  if (inHead) return typedHead(command);
  const at = words.findIndex((word) => /^run[-_]?tests?(?:\.\w+)?$/.test(baseOf(word)));
  return at < 0 ? null : words.slice(0, at + 1).join(" ");
}

/** `test`, `runtests.py`, `test:unit`; not `test:nothing`. */
function saysTests(word: string): boolean {
  const [, kind] = /^(?:run[-_]?)?tests?(?:\.\w+|:([\w:-]+))?$/.exec(word) ?? [null, null];
  return kind !== null && (kind === undefined || isSameScript(`test:${kind}`, "test"));
}

export function isTestRunner(command: ShellCommand): boolean {
  return command.head.split(" ").some((word) => testRunners.has(word)) || findTestCommand(command) !== null;
}

const testRunners: ReadonlySet<string> = new Set(
  "pytest py.test jest vitest mocha rspec phpunit tox nox bats".split(" "),
);

function baseOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Programs that read a script but do not run it. */
const checkers: ReadonlySet<string> = new Set(
  "shellcheck dos2unix eslint prettier ruff black mypy pylint code".split(" "),
);

/** `rtk bun run test` and `bun run test`. */
function isWithoutFirst(before: ShellCommand, after: ShellCommand): boolean {
  const rest = before.text.split(" ").slice(1).join(" ");
  return rest === after.head || rest.startsWith(`${after.head} `);
}

function isOffered(hint: string | null, after: ShellCommand): boolean {
  return hint !== null && !hint.startsWith("-") && (after.head === hint || after.head.startsWith(`${hint} `));
}

/** Another program on the same file, which the error names in place of the first. */
function isOfferedProgram(before: ShellCommand, after: ShellCommand, error: string): boolean {
  const { offered, replaced } = findProgramsInstead(error);
  return (
    replaced.includes(before.program) &&
    offered.includes(after.program) &&
    before.args.some((arg) => after.args.includes(arg))
  );
}

/**
 * `kiln build` and `kiln bake`: the subcommand that the error suggests. If the error only says that `build` is unknown,
 * any other subcommand that does more than show something.
 */
function isOtherSubcommand(before: ShellCommand, after: ShellCommand, error: string): boolean {
  const [[program, wrong], [other, right]] = [before, after].map((one) => one.head.split(" ")) as [string[], string[]];
  if (program !== other || wrong === undefined || right === undefined || wrong === right) return false;
  const hint = findHint(error)?.split(" ").at(-1);
  if (hint !== undefined) return hint === right;
  return unknownCommand.test(error) && error.includes(wrong) && !displaySubcommands.has(right);
}

const unknownCommand =
  /\b(?:unknown|unrecognized|invalid|no such) (?:sub-?)?(?:command|action|verb|choice)\b|is not a (?:\S+ )?(?:sub-?)?command/i;

/** Subcommands that only show something. */
const displaySubcommands: ReadonlySet<string> = new Set(
  "help version status list ls show info log diff get describe".split(" "),
);

/** A script of another package does other work. */
function areOfOtherPackages(before: ShellCommand, after: ShellCommand): boolean {
  const [a, b] = [before, after].map((one) => splitPackageHead(one.head).of);
  return a != null && b != null && a !== b;
}

/** `npm run tests` and `npm run test:unit`; if the error says that there is no such script, any name that shares a word. */
function isLikeScript(before: ShellCommand, after: ShellCommand, error: string): boolean {
  const [a, b] = [before, after].map((one) => scriptOf(one.head));
  if (a == null || b == null || a.runner !== b.runner || a.script === b.script) return false;
  if (noSuchScript.test(error) && shareScriptWord(a.script, b.script)) return true;
  const [one = "", other = ""] = [a, b].map(({ script }) => script.split(/[:._-]/)[0]?.replace(/s$/, ""));
  return one.length >= 3 && (one.startsWith(other) || other.startsWith(one)) && other.length >= 3;
}

const noSuchScript =
  /\bMissing script\b|\bScript not found\b|has a ["']\S+["'] script|^(?:error )?Command ["']\S+["'] not found/m;

/** `pnpm test` and `pnpm run test` are one. */
function scriptOf(head: string): { readonly runner: string; readonly script: string } | null {
  const [program = "", second, third] = splitPackageHead(head).plain.split(" ");
  if (second === undefined) return null;
  if (third !== undefined) return { runner: `${program} ${second}`, script: third };
  return /^(?:pnpm|yarn|bun)$/.test(program) ? { runner: `${program} run`, script: second } : null;
}

const missing = /command not found|: not found\s*$|No module named|[Cc]annot find module|executable file not found/m;

function sharesFile(before: ShellCommand, after: ShellCommand): boolean {
  return (
    after.program !== before.program &&
    before.args.some((arg) => isPath(arg) && after.args.some((other) => samePath(arg, other)))
  );
}

function isPath(arg: string): boolean {
  return arg.length >= 4 && /[/.]/.test(arg) && !/\s/.test(arg);
}

function samePath(a: string, b: string): boolean {
  const bare = (path: string) => path.replace(/^\.\//, "").replace(/\/+$/, "").split("::")[0] ?? path;
  return bare(a) === bare(b);
}

/** Programs that inspect or remove a file; they do not do what was meant. */
export const inspectionPrograms: ReadonlySet<string> = new Set(
  "cat ls head tail grep rg find wc stat file which echo pwd sort uniq cut tree diff less more du df env printenv cd test [ true sed awk nl od xxd jq vim nano rm mv cp touch mkdir chmod git type command export source".split(
    " ",
  ),
);

/**
 * For tools other than shells: the same tool with a fuller name, a listing of the folder that could not be read, or a
 * command with the skill's name.
 */
function isAlternativeToolCall(
  failed: FailedAttempt,
  later: Pick<Event, "tool" | "input">,
  after: ShellCommand | null,
): boolean {
  const error = failed.error ?? "";
  if (/\bEISDIR\b|is a directory/i.test(error)) {
    const folder = findNamedFile(failed.input);
    if (folder === null) return false;
    if (after !== null) return after.program === "ls" && after.args.some((arg) => samePath(arg, folder));
    return (
      !isEditTool(later.tool ?? "") &&
      later.tool !== failed.tool &&
      JSON.stringify(later.input).includes(JSON.stringify(folder).slice(1, -1))
    );
  }
  const unknown = /^(?:Unknown skill: |Agent type ["'])([\w:-]+)/.exec(error.replace(/^<\w+>/, ""))?.[1];
  if (unknown === undefined) return false;
  if (after !== null) return after.head.split(" ").slice(1).includes(unknown);
  return later.tool === failed.tool && namesIn(later.input).some((name) => name.endsWith(`:${unknown}`));
}

function namesIn(input: unknown): readonly string[] {
  return typeof input === "object" && input !== null
    ? Object.values(input).filter((value) => typeof value === "string" && value.length <= 120)
    : [];
}
