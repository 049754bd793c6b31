import { isMisspelling } from "../../lib/nearest.ts";
import { runsTestsInstead } from "../event/alternative-call.ts";
import { findProgramsInstead } from "../event/hint.ts";
import { readOnlyPrograms } from "../fact/program-arguments.ts";
import {
  givesTrust,
  isBypassSetting,
  isBypassValue,
  isProtectingOption,
  resemblesBypass,
} from "../risk/bypass-words.ts";
import { type CommandRisk, findCommandRisk } from "../risk/command-risk.ts";
import { changesTarget, mayOfferScript } from "../text/target-change.ts";
import type { RemedyOrigin } from "../rule/rule.ts";
import { findMainCommand, parseCommands, type ShellCommand } from "../shell/command.ts";
import { asksForHelp } from "../shell/help-call.ts";
import { manifests } from "../shell/script-runners.ts";
import { trivialPrograms } from "../shell/programs.ts";
import { alignPrograms, type AlignedCalls } from "./align-calls.ts";
import { isNearOption, listWordChanges, type OptionWord } from "./word-changes.ts";
import { isHarmlessOption } from "./harmless-option.ts";
import { namesOthersHome } from "./others-home.ts";
import { isPreparation } from "./preparation.ts";
import { listNamedCommands, listsChoice, namesCommand, namesWord, offersChoice } from "./named-remedy.ts";

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
  const parts = listParts(failed, worked, error);
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

/** One difference between the two lines. */
interface RemedyPart {
  readonly origin: RemedyOrigin;
  readonly reason: string | null;
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
  const known = new Set(parseCommands(failed).map((one) => one.text));
  const first = all.filter((one) => one !== after && !known.has(one.text)).flatMap((one) => judgeExtra(one, error));
  return [...first, ...judgeSettings(before, after, error), ...judgeCall(before, after, error)];
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
  const isHarmless = trivialPrograms.has(program) || readOnlyPrograms.has(program);
  if (isHarmless && program !== "source" && program !== ".") return [];
  if (!namesCommand(error, command)) return [other(`the error does not name \`${command.text}\``)];
  if (!isPreparation(command)) return [other(beyondProject(command.text))];
  return [named, ...listOptions(command).flatMap(judgeProtection)];
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
  if (isNamed && !mayReplace(before, after, { error, isSameProgram: aligned !== null }))
    return [other(beyondProject(after.text))];
  const changes = aligned === null ? listWordChanges(before.words.slice(1), after.words.slice(1)) : aligned.changes;
  return [
    isNamed ? named : aligned?.origin === "same" ? named : correction,
    ...changes.addedOptions.flatMap((option) => judgeOption(option, { changes, error, before })),
    ...changes.removedOptions.flatMap((option) => judgeRemoved(option, { changes, error, before })),
    ...(isNamed || (aligned?.origin === "respelled" && saysProgramMissing(error, after.program))
      ? []
      : judgeOperands(changes, {
          error,
          isRespelled: aligned?.origin === "respelled",
          isOfScripts: manifests.has(before.program) || /^gradlew?$/.test(before.program),
        })),
  ];
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
    return /^(?:\.\/)?[\w-][\w-]*(?:\/[\w.-]+)+$/.test(program) && rest.join(" ") === before.words.join(" ");
  const [old = "", now = ""] = [before, after].map(({ head }) => head.split(" ").slice(1).join(" "));
  return isMisspelling(old, now) || !ofSettings.test(now);
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

interface OptionCase {
  readonly changes: AlignedCalls["changes"];
  readonly error: string;
  readonly before: ShellCommand;
}

function judgeOption(option: OptionWord, { changes, error, before }: OptionCase): readonly RemedyPart[] {
  const { removedOptions } = changes;
  const sameName = removedOptions.find((one) => one.name === option.name);
  if (sameName?.value != null && option.value !== null && !isValueWrong(error, sameName.value, option.value))
    return [other(`it does other work, with \`${option.name} ${option.value}\``)];
  if (removedOptions.some((one) => isNearOption(one, option)))
    return [
      correction,
      ...(isOff(option) ? [withheldOption(option)] : []),
      ...(sameName === undefined ? judgeValue(option, { changes, error, before }) : []),
    ];
  const replaces = removedOptions.some((one) => saysUnknown(error, one.name));
  const protects = judgeProtection(option);
  if (replaces) return [correction, ...protects, ...judgeValue(option, { changes, error, before })];
  if (protects.length > 0) return protects;
  if (namesWord(error, option.name)) {
    const isChoice = offersChoice(error, before.head) || listsChoice(error, option.name);
    if (isChoice) return [other("the error offers a choice between several remedies")];
    return [named, ...judgeValue(option, { changes, error, before })];
  }
  const [command] = listNamedCommands(error).filter((one) => !one.startsWith(`${before.head} -`));
  if (command !== undefined) return [other(`the error names another remedy, \`${command}\``)];
  return [isHarmlessOption(before, option.name) ? added : other(`the error does not name \`${option.name}\``)];
}

/** A value that is neither in the error nor in the failed call was the agent's choice: of a file, a target, an account. */
function judgeValue({ name, value }: OptionWord, { changes, error, before }: OptionCase): readonly RemedyPart[] {
  const given = [...before.words, ...changes.removedOptions.map((one) => one.value)];
  const isGiven = value === null || isConstant(value) || namesWord(error, value) || given.includes(value);
  return isGiven ? [] : [other(`the error does not say which value \`${name}\` needs`)];
}

/** A number or a switch chooses nothing. */
function isConstant(value: string): boolean {
  return /^(?:\d+(?:\.\d+)?[a-zA-Z%]{0,2}|true|yes|on|auto)$/.test(value);
}

/** Another value corrects the call only if the error speaks of one of them. */
function isValueWrong(error: string, before: string, after: string): boolean {
  return saysUnknown(error, before) || namesWord(error, after);
}

function isOff({ name, value }: OptionWord): boolean {
  return value !== null && resemblesBypass(`-value=${value}`) && !resemblesBypass(name);
}

function judgeProtection(option: OptionWord): readonly RemedyPart[] {
  return resemblesBypass(option.name, option.value) ? [withheldOption(option)] : [];
}

function withheldOption({ name, value }: OptionWord): RemedyPart {
  const text = value === null ? name : `${name} ${value}`;
  return other(`\`${text}\` may switch off a protection, a question or a check, delete something or raise privileges`);
}

/**
 * An option that is left out. If the error does not call it unknown, that the call works without it shows nothing: it may
 * be what stopped the call, as a dry run or a signature does.
 */
function judgeRemoved(option: OptionWord, { changes, error, before }: OptionCase): readonly RemedyPart[] {
  const { addedOptions } = changes;
  if (addedOptions.some((one) => one.name === option.name || isNearOption(option, one))) return [];
  if (isProtectingOption(option.name, before.program))
    return [other(`without \`${option.name}\`, it may leave out a check`)];
  if (saysUnknown(error, option.name)) return [correction];
  const isReplaced = addedOptions.some((one) => namesWord(error, one.name));
  if (isReplaced || isHarmlessOption(before, option.name)) return [];
  return [other(`the error does not call \`${option.name}\` unknown`)];
}

interface OperandCase {
  readonly error: string;
  readonly isRespelled: boolean;
  /** True if the operands are scripts or targets of the project. */
  readonly isOfScripts: boolean;
}

/** Operands: a name that the error calls unknown, and what stands in its place. */
function judgeOperands(
  { added: words, removed, removedOptions }: AlignedCalls["changes"],
  { error, isRespelled, isOfScripts }: OperandCase,
): readonly RemedyPart[] {
  // An error without a name can only speak of the one thing that was asked for.
  const isOnly = removed.length === 1 && words.length === 1;
  // The value of an option that was left out goes with it.
  const gone = removed.filter((word) => !removedOptions.some((option) => option.value === word));
  const wrong = gone.filter((word) => saysUnknown(error, word) || (isOnly && isElsewhere(error, word, words)));
  // The program elsewhere, on less: the sentence says only how it is started.
  if (words.length === 0 && isRespelled) return [];
  if (words.length === 0)
    return gone.length === wrong.length ? [] : [other(`it does other work, without \`${gone[0] ?? ""}\``)];
  return words.map((word) => {
    if (isOfScripts && wrong.length > 0 && !wrong.some((one) => mayOfferScript(word, one)))
      return other(`\`${word}\` may reach others or destroy something`);
    if (wrong.length > 0) return isBypassValue(word) ? other(`\`${word}\` may switch off a check`) : correction;
    if (removed.length > 0 && namesWord(error, word)) return named;
    return other(`it does other work, with \`${word}\``);
  });
}

/** True if the error says that this word is unknown, wrong or missing; not that it is forbidden. */
function saysUnknown(error: string, word: string): boolean {
  if (!unknown.test(error) || /permission denied|not permitted|forbidden|access denied|unauthorized/i.test(error))
    return false;
  const bare = word.replace(/^-+/, "");
  const last = bare.split(/[/:]/).at(-1) ?? bare;
  return [word, bare, last, bare.charAt(0)].some(
    (one, at) => (at < 3 ? one.length > 1 : bare.length < 4) && namesWord(error, one),
  );
}

/** True if the error says only that something was not found, and the new path has a name in common with the old one. */
function isElsewhere(error: string, word: string, others: readonly string[]): boolean {
  const names = word.split("/").filter(Boolean);
  const isLike = others.some((other) => other.split("/").some((name) => names.includes(name)));
  return isLike && word.includes("/") && unknown.test(error);
}

const unknown =
  /unknown|unrecogni[sz]ed|invalid|unexpected|illegal|no such|not found|not (?:a |an )?(?:valid|supported|defined|declared|recogni[sz]ed|exist)|(?:doesn't|does not) exist|did not match|cannot (?:find|locate)|could not (?:find|be found)|is not a |missing script|no rule|has no|no option|parse error|404/i;

const named: RemedyPart = { origin: "named", reason: null };
const correction: RemedyPart = { origin: "correction", reason: null };
const added: RemedyPart = { origin: "option", reason: null };

function other(reason: string): RemedyPart {
  return { origin: "other", reason };
}
