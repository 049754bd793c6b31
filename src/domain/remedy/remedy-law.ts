import { detectCause } from "../cause/cause.ts";
import { runsTestsInstead } from "../event/alternative-call.ts";
import { findProgramsInstead } from "../event/hint.ts";
import { readOnlyPrograms } from "../risk/program-arguments.ts";
import { givesTrust, isBypassSetting } from "../risk/bypass-words.ts";
import { type CommandRisk, findCommandRisk } from "../risk/command-risk.ts";
import { isLoaded } from "../risk/loaded-words.ts";
import type { RemedyOrigin } from "../rule/rule.ts";
import { findMainCommand, parseCommands, type ShellCommand } from "../shell/command.ts";
import { asksForHelp } from "../shell/help-call.ts";
import { onlyShows } from "../shell/only-shows.ts";
import { haveSameWords, splitName } from "../text/same-words.ts";
import { changesTarget } from "../text/target-change.ts";
import { alignPrograms, type AlignedCalls } from "./align-calls.ts";
import { isMovedProgram, judgeOperands } from "./judge-operands.ts";
import { judgeOption, judgeRemoved } from "./judge-options.ts";
import { namesCommand, namesWord } from "./named-remedy.ts";
import { offersOnly } from "./only-offer.ts";
import { namesOthersHome } from "./others-home.ts";
import { isPreparation } from "./preparation.ts";
import { correction, judgeProtection, named, other, type RemedyPart } from "./remedy-part.ts";
import { findOtherSurroundings, withoutFilters } from "../shell/surroundings.ts";
import { isReordered, listWordChanges, type OptionWord } from "./word-changes.ts";

export interface RemedyVerdict {
  readonly origin: RemedyOrigin;
  readonly risk: CommandRisk | null;
  /** True if agents may read it before a person has reviewed it. */
  readonly isTaught: boolean;
  /** Why agents may not read it, for the owner; null if they may. */
  readonly reason: string | null;
}

export interface RemedyCase {
  /** The lines as they were run. */
  readonly failed: string;
  readonly worked: string;
  readonly error: string;
  /** Where they ran; undefined if nobody knows. */
  readonly cwd?: string | null;
}

/**
 * The one law about what an agent may be taught without a person's review. It depends on where the remedy comes from; a
 * list of risks alone is never complete. It is asked about the whole line that worked, not about what a sentence keeps
 * of it.
 */
export function judgeRemedy({ failed, worked, error, cwd }: RemedyCase): RemedyVerdict {
  const risk = findCommandRisk(worked);
  if (cwd !== undefined && namesOthersHome(worked, cwd))
    return { origin: "other", risk, isTaught: false, reason: "it needs a file in the home of another user" };
  if (risk === null && asksForHelp(worked) && !asksForHelp(failed))
    return { origin: "other", risk, isTaught: false, reason: helpOnly };
  if (risk === null && changesTarget(worked, failed))
    return { origin: "other", risk, isTaught: false, reason: "it acts on another target" };
  const trusting = findTrustGiven(failed, worked);
  if (risk === null && trusting !== undefined)
    return {
      origin: "other",
      risk,
      isTaught: false,
      reason: `\`${trusting}\` gives a trust that only a person can give`,
    };
  const around = findOtherSurroundings(failed, worked);
  const parts = [...listParts(failed, worked, error), ...(around === null ? [] : [other(around)])];
  const origin = parts.reduce<RemedyOrigin>((worst, part) => weakerOrigin(worst, part.origin), "named");
  if (risk !== null) return { origin, risk, isTaught: false, reason: `it ${risk}` };
  const withheld = parts.find((part) => part.reason !== null);
  return { origin, risk, isTaught: withheld === undefined, reason: withheld?.reason ?? null };
}

export const helpOnly = "a call for help or a version repairs nothing";

function findTrustGiven(failed: string, worked: string): string | undefined {
  const known = parseCommands(failed).map((one) => one.text);
  return parseCommands(worked).find((one) => !known.includes(one.text) && isTrusting(one))?.text;
}

/** `direnv allow`: an error may name it, but only a person can know what is to be trusted. */
function isTrusting({ head, args }: ShellCommand): boolean {
  return givesTrust(head.split(" ")[1] ?? args[0] ?? "");
}

const order: readonly RemedyOrigin[] = ["named", "correction", "option", "other"];

/** The one that says less for the remedy. */
export function weakerOrigin(a: RemedyOrigin, b: RemedyOrigin): RemedyOrigin {
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

function listParts(failed: string, worked: string, error: string): readonly RemedyPart[] {
  const before = findMainCommand(failed);
  const all = parseCommands(worked);
  const after = before === null ? null : pickCounterpart(before, all, findMainCommand(worked), error);
  if (before === null || after === null) return [other("nothing shows what it has in common with the failed call")];
  const [were, are] = [failed, worked].map((line) => withoutFilters(parseCommands(line)));
  const known = new Set(were?.map((one) => one.text));
  const first = (are ?? [])
    .filter((one) => one.text !== after.text && !known.has(one.text))
    .flatMap((one) => judgeExtra(one, error));
  const now = new Set(are?.map((one) => one.text));
  const left = (were ?? []).filter((one) => one.text !== before.text && !now.has(one.text)).flatMap(judgeLeftOut);
  return [...first, ...left, ...judgeSettings(before, after, error), ...judgeCall(before, after, error)];
}

/** The command of the working line that stands for the failed one. */
function pickCounterpart(
  before: ShellCommand,
  all: readonly ShellCommand[],
  main: ShellCommand | null,
  error: string,
): ShellCommand | null {
  return (
    all.findLast((one) => one.text === before.text) ??
    all.findLast((one) => one.head === before.head) ??
    all.findLast((one) => align(before, one, error) !== null) ??
    main
  );
}

function align(before: ShellCommand, after: ShellCommand, error: string): AlignedCalls | null {
  return alignPrograms(before, after, /not found|No such file/.test(error) && namesWord(error, before.program));
}

function judgeExtra(command: ShellCommand, error: string): readonly RemedyPart[] {
  const { program, args, words } = command;
  if (program === "cd" || program === "pushd") {
    const folder = args[0] ?? "";
    return namesWord(error, folder)
      ? [named]
      : [other(`it works in another folder, \`${folder}\`, which the error does not name`)];
  }
  if (program === "export") return words.slice(1).map((setting) => judgeSetting(setting, error));
  if (!namesCommand(error, command)) return [other(`the error does not name \`${command.text}\``)];
  if (!isPreparation(command)) return [other(beyondProject(command.text))];
  return [named, ...listOptions(command).flatMap(judgeProtection)];
}

/** A command beside the call that was not run again: perhaps the check that had to pass first. */
function judgeLeftOut({ program, text }: ShellCommand): readonly RemedyPart[] {
  const isHarmless = readOnlyPrograms.has(program) && program !== "set";
  return isHarmless || program === "pushd" || program === "export" ? [] : [other(`it does less, without \`${text}\``)];
}

/** Why a command that an error names is not taught. */
export function beyondProject(command: string): string {
  return `\`${command}\` may change more than the project's dependencies and build`;
}

function listOptions({ words }: ShellCommand): readonly OptionWord[] {
  return listWordChanges([], words.slice(1)).addedOptions;
}

/** Why agents may not be taught to set this variable; null if they may. */
export function findSettingFault(setting: string, { failed, error }: Omit<RemedyCase, "worked">): string | null {
  if (changesTarget(setting, failed)) return "it acts on another target";
  return judgeSetting(setting, error).reason;
}

function judgeSettings(before: ShellCommand, after: ShellCommand, error: string): readonly RemedyPart[] {
  return after.assignments.filter((one) => !before.assignments.includes(one)).map((one) => judgeSetting(one, error));
}

function judgeSetting(setting: string, error: string): RemedyPart {
  const [name = ""] = setting.split("=");
  if (isBypassSetting(setting)) return other(`\`${setting}\` may switch off a check or raise privileges`);
  if (!namesWord(error, name)) return other(`the error does not name the variable \`${name}\``);
  // A number or a switch may say yes to a question, or choose a customer: `CONFIRM=1`, `TENANT_ID=42`.
  return isPlaceSetting(setting) ? named : other(`which value \`${name}\` gets is the user's decision`);
}

/** True if the value says only where a tool is: `JAVA_HOME=/opt/jdk`. */
export function isPlaceSetting(setting: string): boolean {
  const [name = ""] = setting.split("=");
  return namesPlace.test(name) && isPlace(setting.slice(name.length + 1));
}

/** Variables that say where a tool is. The path of a database or of an account's file is the agent's choice. */
const namesPlace = /(?:^|_)(?:HOME|ROOT|DIR|PATH|SDK|BIN|PREFIX)$/;

/** A folder or file of this machine or project, not an account, a profile or an address. */
function isPlace(value: string): boolean {
  return (
    /^(?:\.{0,2}|~|\$\w+|\$\{\w+\})?\/[\w.@+/-]*$/.test(value) || /^\$\(pwd\)|^\$PWD/.test(value) || /^\.$/.test(value)
  );
}

function judgeCall(before: ShellCommand, after: ShellCommand, error: string): readonly RemedyPart[] {
  if (before.text === after.text) return [];
  const aligned = align(before, after, error);
  const isNamed = after.head !== before.head && (namesCommand(error, after) || isOfferedInstead(error, before, after));
  if (aligned === null && runsTestsInstead(before, after, error))
    return [correction, ...listOptions(after).flatMap(judgeProtection)];
  if (aligned === null && !isNamed) return [other(`the error does not name \`${after.head}\``)];
  const isRespelled = aligned?.origin === "respelled";
  if (isRespelled && !isSameStart(before, after, error))
    return [other(`nothing shows that \`${after.words[0] ?? ""}\` does the same as \`${before.words[0] ?? ""}\``)];
  const isSameProgram = aligned !== null;
  if (isSameProgram && !onlyShows(before) && isReordered(before.words, after.words))
    return [other("the same words in another order may turn it around")];
  if (isNamed && !isSameProgram && !mayReplace(before, after, { error, isSameProgram }))
    return [other(beyondProject(after.text))];
  const isReplaced = isNamed && mayReplace(before, after, { error, isSameProgram });
  const changes = aligned === null ? listWordChanges(before.words.slice(1), after.words.slice(1)) : aligned.changes;
  const isCauseKnown = detectCause({ tool: "bash", input: { command: before.text } }, error) !== null;
  const of = { changes, error, before, isCauseKnown };
  return [
    isReplaced || aligned?.origin === "same" ? named : correction,
    ...changes.addedOptions.flatMap((option) => judgeOption(option, of)),
    ...changes.removedOptions.flatMap((option) => judgeRemoved(option, of)),
    ...(isReplaced || (isRespelled && [before, after].some(({ program }) => saysProgramMissing(error, program)))
      ? []
      : judgeOperands(changes, { before, error, isRespelled })),
  ];
}

/**
 * The same program in another place or by another starter. Where the error does not say that it is missing, only from
 * where programs of a project are installed: another folder may hold another program of the same name.
 */
function isSameStart(before: ShellCommand, after: ShellCommand, error: string): boolean {
  const [[was = "", next], [now = ""]] = [before.words, after.words];
  if (was === now) return true;
  // Without its first word: only those words that are known to run the rest as it is.
  if (next === now && next !== undefined) return runsTheRest.test(was);
  const [folder, old] = [folderOf(now), folderOf(was)];
  const baseName = now.slice(folder.length);
  if (folder === old) return true;
  if (folder !== "" && !isMovedProgram(old + baseName, folder + baseName)) return false;
  return missing.test(error) || ofProject.test(folder);
}

const runsTheRest =
  /^(?:rtk|npx|bunx|pnpx|uvx|pipx|uv|poetry|pipenv|pdm|hatch|rye|bundle|python[\d.]*|node|sh|bash|time|command|exec|env|npm|pnpm|yarn|bun|mise|corepack)$/;
const missing = /not found|no such file|no module named|cannot find|not installed|permission denied|not recognized/i;
const ofProject = /^(?:\.\/|(?:.*\/)?(?:\.?venv|env|vendor|node_modules\/\.)?\/?bin\/)$/;

function folderOf(program: string): string {
  return program.slice(0, program.lastIndexOf("/") + 1);
}

/**
 * What an error names in place of the failed call: the same program's command of another name, a preparation, a program
 * that the error offers for this one, or a script of the workspace that starts the very call.
 */
function mayReplace(
  before: ShellCommand,
  after: ShellCommand,
  { error, isSameProgram }: { readonly error: string; readonly isSameProgram: boolean },
): boolean {
  if (isPreparation(after) || isOfferedInstead(error, before, after)) return true;
  const [program = "", ...rest] = after.words;
  if (!isSameProgram)
    return (
      /^(?:\.\/)?[\w-][\w-]*(?:\/[\w.-]+)+$/.test(program) &&
      rest.join(" ") === before.words.join(" ") &&
      !splitName(program).some(isLoaded)
    );
  const [old = [], now = []] = [before, after].map(({ head }) => head.split(" ").slice(1));
  const more = now.filter((word) => !old.includes(word));
  const isOffered = offersOnly(error, after.head) || (more.length === 1 && offersOnly(error, more[0] ?? ""));
  return (
    haveSameWords(old.join(" "), now.join(" ")) ||
    (isOffered && !ofSettings.test(now.join(" ")) && !more.some(isLoaded))
  );
}

/** Subcommands that change settings, accounts, addresses or what others see. */
const ofSettings =
  /^(?:config|configure|remote|login|logout|auth|iam|set|set-\w+|use|use-\w+|switch-\w+|env|context|profile|alias|registry|repo|deploy|publish|release|push|apply|sync|mb|cp|mv|off|on|undo|forget|add|install|i|link|exec|dlx|x|tunnel|share|grant|user|role|secret|token|key|trust|allow|approve|accept|license|licenses|edit|eval|run|shell)\b/;

/** The program itself was missing, so what it was called with made no difference: `pytest b` for `python -m pytest a`. */
function saysProgramMissing(error: string, program: string): boolean {
  return [...error.matchAll(missingProgram)].some(([, module, command]) => (module ?? command) === program);
}

const missingProgram = /No module named ["']?([\w.]+)["']?\s*$|(?:^|[\s/])([^\s:/]+): (?:command )?not found/gm;

/** `"xelatex" or "lualatex" instead of "pdflatex"`. */
function isOfferedInstead(error: string, before: ShellCommand, after: ShellCommand): boolean {
  const { offered, replaced } = findProgramsInstead(error);
  return offered.includes(after.program) && replaced.includes(before.program);
}
