import { findChoices, findHint, findProgramsInstead } from "../event/hint.ts";
import { changesTarget } from "../text/target-change.ts";
import { plainChoices } from "./plain-choices.ts";
import { findMistypedWord } from "./mistyped-word.ts";
import { unwrapHostText } from "../event/host-text.ts";
import { findCauseLine } from "../event/cause-line.ts";
import { findAddressInError } from "../shell/address.ts";
import { type ShellCommand, parseCommands, isShellTool, withScripts } from "../shell/command.ts";
import { findShellText } from "../shell/shell-text.ts";
import { type CauseKind, commandCauses, type CauseMatch, exceptedBy, thingElsewhere, toolCauses } from "./patterns.ts";

/** Why a call failed, as far as its error text says. */
export interface FailureCause {
  readonly kind: CauseKind;
  /** What the error names: the option, program, script, module or path. Null if it names nothing. */
  readonly thing: string | null;
  /** What the error suggests instead: "Did you mean '--target'?" */
  readonly hint: string | null;
  /** The one-letter options that the program's usage lists in the error: `-belnstuv`. */
  readonly listedOptions?: string;
  /** The usage of the wrapper that runs in the program's place: `rtk find [OPTIONS] <PATTERN> [PATH]` where `find` was typed. */
  readonly wrapperUsage?: string;
  /** Plain values that the error lists for a wrong one: `owner`, `admin`. */
  readonly choices?: readonly string[];
  /** The head of the command that the error is about; null if it is not a shell call or the error does not say. */
  readonly blamed: string | null;
}

export interface FailedCall {
  readonly tool: string;
  readonly input: unknown;
}

/** Null if the text names no known cause, such as a failing test or a stack trace of the program under development. */
export function detectCause(call: FailedCall, error: string): FailureCause | null {
  const { body } = unwrapHostText(error, null, true);
  const lines = linesToTry(body);
  if (!isShellTool(call.tool)) return withHint(firstFound(toolCauses, lines.slice(0, 3)), body, null);
  const shell = findShellText(call.input) ?? "";
  const first = firstFound(commandCauses, lines);
  const isExcepted = first !== null && (exceptedBy.get(first.kind)?.test(body) === true || isOwnScript(first));
  const found = isExcepted ? null : first;
  if (found === null) return findSuggestedCause(shell, body);
  const thing = found.thing ?? clean(thingElsewhere.get(found.kind)?.exec(body)?.[1]);
  return withHint({ ...found, thing }, body, findBlamedCommand(shell, found));
}

/** `sed: can't read s/a/b/`: the script of the call stands where sed wants a file, because `-i` took another word. */
function isOwnScript({ kind, speaker, thing }: CauseMatch): boolean {
  return kind === "missing-path" && speaker === "sed" && /^[sy]([^\w\s]).*\1/.test(thing ?? "");
}

/**
 * The cause by what the error suggests, in whatever words a program says it: a word of the call that is nearly the
 * suggested one is wrong, and so is a program in place of which the error names others.
 */
function findSuggestedCause(shell: string, body: string): FailureCause | null {
  const hint = findHint(body);
  const commands = parseCommands(shell);
  const meant = hint === null || hint.includes(" ") ? null : findMistypedWord(commands, hint);
  if (meant !== null) return { ...meant, hint, blamed: null };
  const { replaced } = findProgramsInstead(body);
  const wrong = commands.find(({ program }) => replaced.includes(program));
  return wrong === undefined ? null : { kind: "wrong-program", thing: wrong.program, hint, blamed: wrong.head };
}

/**
 * The cause line comes first, then all other lines, because a chain of commands may print much. Of a long output, the
 * beginning and the end: the program that stopped a check printed last.
 */
function linesToTry(body: string): readonly string[] {
  const lines = body.split("\n");
  const last = lines.slice(Math.max(MOST_LINES, lines.length - LAST_LINES));
  return [findCauseLine(body), ...lines.slice(0, MOST_LINES), ...last].map((line) =>
    withoutSpeaker(line.slice(0, LONGEST).replace(boxSide, "").trimEnd()),
  );
}

const MOST_LINES = 80;
const LAST_LINES = 20;
const LONGEST = 500;

/** The left side of a box: terraform prints `│ Error: …`. */
const boxSide = /^\s*[│┃║][ \t]*/;

/** Removes the shell's prefix (`bash: line 1: `, `zsh:1: `, `(eval):cd:1: `), but keeps the name of a builtin. */
function withoutSpeaker(line: string): string {
  const said = line.replace(/^(?:\/\S*\/)?(?:ba|da|z|k)?sh: (?:-c: )?(?:line )?\d+: /, "");
  // The shell says it of the script, not the script of something else.
  if (/^\.{0,2}\/\S+: [Pp]ermission denied$/.test(said)) return said;
  return said.replace(
    /^(?:\(eval\)|zsh|(?:\/\S+\/)?\S+\.(?:ba|z)?sh):(?:([a-z]\w*):)?(?:(?: line )?\d+:)? ?/,
    (_all, name) => (typeof name === "string" && name !== "" ? `${name}: ` : ""),
  );
}

function firstFound(patterns: readonly (readonly [CauseKind, RegExp])[], lines: readonly string[]): CauseMatch | null {
  for (const line of lines)
    for (const [kind, pattern] of patterns) {
      const match = pattern.exec(line);
      if (!match) continue;
      const address = kind === "not-running" || kind === "network-failed" ? findAddressInError(line) : null;
      const { service, thing: first, thing2, thing3 } = match.groups ?? {};
      const thing = service ?? address ?? forbiddenAction(match.groups) ?? clean(first ?? thing2 ?? thing3);
      return { kind, thing, speaker: match.groups?.["by"] ?? null };
    }
  return null;
}

/** `ci-bot list pods pay`: who may not do what, and where. The patterns allow only names in it. */
function forbiddenAction(groups: Readonly<Record<string, string | undefined>> | undefined): string | null {
  const { who, verb, what, where } = groups ?? {};
  return who === undefined ? null : [who, verb, what, where].filter((one) => one !== undefined).join(" ");
}

function clean(thing: string | undefined): string | null {
  const bare = thing?.trim().replace(/^['"`‘“]+|['"`’”.,:]+$/g, "") ?? "";
  return bare === "" || bare.length > LONGEST_THING ? null : bare;
}

const LONGEST_THING = 160;

function withHint(found: CauseMatch | null, body: string, blamed: string | null): FailureCause | null {
  if (found === null) return null;
  const cause = { kind: found.kind, thing: found.thing, hint: findHint(body), blamed };
  if (found.kind === "unknown-value" || found.kind === "unknown-name") {
    const choices = plainChoices(body, findChoices(body));
    // Not even as a choice: who misses `staging` is not told of the customers.
    const isElsewhere = choices.some((one) => changesTarget(one, found.thing ?? ""));
    return choices.length === 0 || isElsewhere ? cause : { ...cause, choices };
  }
  if (found.kind !== "unknown-option" || blamed === null) return cause;
  const [, program, letters] = usage.exec(body) ?? [];
  if (letters !== undefined && program === blamed) return { ...cause, listedOptions: letters };
  const [, wrapped] = wrapperUsage.exec(body) ?? [];
  const typed = wrapped?.split(/ (?=[[<])/)[0] ?? "";
  return wrapped === undefined || typed.slice(typed.indexOf(" ") + 1) !== blamed
    ? cause
    : { ...cause, wrapperUsage: wrapped };
}

/** The usage line of BSD programs: `usage: cat [-belnstuv] [file ...]`. */
const usage = /^usage: ([\w.+-]{1,40}) \[(-[A-Za-z0-9]{2,40})\]/m;

/** Two words and places for arguments: other words of an error are not repeated to an agent. */
const wrapperUsage =
  /^Usage: ([a-z][\w-]{0,20} [a-z][\w-]{0,20}(?: (?:\[[A-Z]{1,12}\]|<[A-Z]{1,12}>)(?:\.{3})?){1,4})$/m;

/** Returns the command that the error is about: by the program it names, else by the thing it names. */
function findBlamedCommand(shell: string, { thing, speaker, kind }: CauseMatch): string | null {
  const commands = parseCommands(shell);
  // An option that a script does not know was given to the script; a missing thing may be the interpreter's.
  const andScripts = (some: readonly ShellCommand[]) => (kind.startsWith("unknown-") ? withScripts(some) : some);
  const named = speaker === null ? undefined : andScripts(commands).findLast((one) => one.program === baseOf(speaker));
  // A folder that cannot be entered is attributed to the command that was to run there.
  if (named?.program === "cd") return null;
  if (named) return named.head;
  if (thing === null) return null;
  if (kind === "missing-program") {
    const missing = commands.find((one) => one.program === baseOf(thing) || one.wrappers.includes(baseOf(thing)));
    return missing?.head ?? null;
  }
  const naming = commands.flatMap((command) => andScripts([command]).find((one) => names(one, thing, kind)) ?? []);
  return naming.length === 1 && naming[0]?.program !== "cd" ? (naming[0]?.head ?? null) : null;
}

function names({ head, flags, args }: ShellCommand, thing: string, kind: CauseKind): boolean {
  if (kind === "unknown-option") return flags.some((flag) => isSameOption(flag, thing));
  const words = [thing, thing.split(".")[0] ?? thing];
  return words.some((word) => head.split(" ").includes(word) || args.includes(word));
}

/** `illegal option -- A` means `-A`, also within `-lA`. A program that parses `-name` letter by letter reports `-n`. */
export function isSameOption(flag: string, thing: string): boolean {
  const bare = thing.replace(/^-+/, "");
  if (flag === thing || flag.replace(/^-+/, "") === bare) return true;
  return bare.length === 1 && /^-[A-Za-z]{2,}$/.test(flag) && flag.includes(bare);
}

/** True if such an error means that the command failed, even if its pipeline returned exit code 0. */
export function isUnmistakable(cause: FailureCause): boolean {
  return cause.blamed !== null && unmistakable.has(cause.kind);
}

const unmistakable: ReadonlySet<CauseKind> = new Set([
  "unknown-option",
  "unknown-subcommand",
  "unknown-script",
  "missing-program",
]);

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
