import { isOfNetwork, isOfPerson, isOfValues } from "../../domain/cause/blame.ts";
import { detectCause } from "../../domain/cause/cause.ts";
import type { CauseKind } from "../../domain/cause/patterns.ts";
import type { Event } from "../../domain/event/event.ts";
import { isSameCommand } from "../../domain/fact/same-command.ts";
import { findHint } from "../../domain/event/hint.ts";
import { findAddedPrefix } from "../../domain/event/alternative-call.ts";
import { findCommandRisk } from "../../domain/risk/command-risk.ts";
import { matchesSteps } from "../../domain/rule/matching/matcher.ts";
import type { Matcher } from "../../domain/rule/rule.ts";
import {
  type ShellCommand,
  parseCommands,
  isShellTool,
  findMainCommand,
  findScriptCommand,
} from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { isHelpCall } from "../../domain/shell/help-call.ts";
import { findRunScript, runsSameScript } from "../../domain/shell/run-script.ts";
import { isLikePath } from "../../domain/text/like-path.ts";
import { readOnlyPrograms } from "../../domain/risk/program-arguments.ts";
import { maskNumbers } from "../../domain/shell/traits.ts";
import { parseSteps } from "../../domain/shell/step.ts";

/** The rule for which a remedy is sought. */
export interface Warned {
  readonly kind: CauseKind | null;
  readonly matcher: Matcher;
}

/** True if a later call that worked can be the remedy, given the failure's cause and the rule's matcher. */
export function mayHelp({ kind, matcher }: Warned, failed: Event, by: Event): boolean {
  const after = findMainCommand(shellOf(by));
  if (after !== null && isHelpCall(after)) return false;
  const before = findMainCommand(shellOf(failed));
  const prefix = before === null || after === null ? null : findAddedPrefix(before, after);
  // The same command with a prefix is another call.
  const isSame =
    before !== null &&
    after !== null &&
    isSameCommand({ command: before, cwd: failed.cwd }, { command: after, cwd: by.cwd });
  if (!isSame && matchesSteps(matcher, parseSteps({ ...by, tool: by.tool ?? "" }), new Set())) return false;
  if (before !== null && after !== null && !isOfSameThing(kind, before, after)) return false;
  if (isNamedIn(failed.error ?? failed.text ?? "", after, prefix)) return true;
  if (after !== null && parseCommands(shellOf(failed)).some((one) => differsInNumbers(one, after))) return false;
  // `sh tools/up.sh` if `tools/up.sh` is not executable.
  if (isOfPerson(kind)) return kind === "no-permission" && prefix !== null;
  // A prefix did not bring the network back.
  if (isSame) return !isOfNetwork(kind);
  if (isOfValues(kind) || after === null) return true;
  return !parseCommands(shellOf(failed)).some((one) => isOtherValue(one, after));
}

/** False if the later call runs another script, or reads another file where a path was missing. */
function isOfSameThing(kind: CauseKind | null, before: ShellCommand, after: ShellCommand): boolean {
  if (findRunScript(before) !== null && findRunScript(after) !== null && !runsSameScript(before, after)) return false;
  if (kind !== "missing-path" || before.head !== after.head || !readsOnly(before)) return true;
  return before.args.some((path) => after.args.some((other) => isLikePath(path, other)));
}

function readsOnly({ program }: ShellCommand): boolean {
  return readOnlyPrograms.has(program) || program === "sed" || program === "awk";
}

function shellOf({ tool, input }: Event): string {
  return tool !== null && isShellTool(tool) ? (findShellText(input) ?? "") : "";
}

function isNamedIn(error: string, after: ShellCommand | null, prefix: string | null): boolean {
  if (prefix !== null && error.includes(prefix)) return true;
  const hint = findHint(error);
  return hint !== null && after !== null && ` ${after.text} `.includes(` ${hint} `);
}

/** The same command and options with another value: `--stage 8` for `--stage 7`. It does other work. */
function isOtherValue(one: ShellCommand, other: ShellCommand): boolean {
  // A call without arguments has no value to replace: `npm test` and `npm test -- --run`.
  if (one.args.length === 0 && other.args.length > 0) return false;
  const [a, b] = [findScriptCommand(one), findScriptCommand(other)];
  if (a !== null && b !== null) return a.words[0] === b.words[0] && options(a) === options(b);
  return a === null && b === null && one.head === other.head && options(one) === options(other);
}

/** The same command with another number or date: `data/night-12` for `data/night-13`. */
function differsInNumbers(one: ShellCommand, other: ShellCommand): boolean {
  const [program, ...words] = one.words;
  const [otherProgram, ...others] = other.words;
  const isSameStart = program === otherProgram && String(one.assignments) === String(other.assignments);
  const [a, b] = [words.join(" "), others.join(" ")];
  return isSameStart && a !== b && maskNumbers(a) === maskNumbers(b);
}

function options({ flags, assignments, wrappers }: ShellCommand): string {
  return JSON.stringify([flags.map((flag) => flag.replace(/^(-[A-Za-z])\d+$/, "$1")), assignments, wrappers]);
}

/** Like `mayHelp`, without a rule: the failure's cause decides, and what is risky is none. */
export function mayBeRemedy(failed: Event, by: Event): boolean {
  if (findCommandRisk(shellOf(by)) !== null) return false;
  const cause = detectCause({ ...failed, tool: failed.tool ?? "" }, failed.error ?? failed.text ?? "");
  return mayHelp({ kind: cause?.kind ?? null, matcher: matchesNothing }, failed, by);
}

const matchesNothing: Matcher = { tool: "no tool" };
