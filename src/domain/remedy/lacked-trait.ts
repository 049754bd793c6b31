import { isBypassSetting, resemblesBypass } from "../risk/bypass-words.ts";
import { isLoaded } from "../risk/loaded-words.ts";
import { findCommandRisk } from "../risk/command-risk.ts";
import { findMainCommand, parseCommands, type ShellCommand } from "../shell/command.ts";
import { asksForHelp } from "../shell/help-call.ts";
import { traitsOfSetting } from "../shell/variables.ts";
import type { RemedyOrigin } from "../rule/rule.ts";
import { isHarmlessOption } from "./harmless-option.ts";
import { listNamedCommands, listsChoice, namesCommand, namesWord, offersChoice } from "./named-remedy.ts";
import { offersOnly } from "./only-offer.ts";
import { namesOthersHome } from "./others-home.ts";
import { isPreparation } from "./preparation.ts";
import { listWordChanges } from "./word-changes.ts";

export interface TraitCase {
  /** The head of the failing calls. */
  readonly head: string;
  readonly errors: readonly string[];
  /** Failing lines, and the working lines that have the trait, as they were run. */
  readonly failed: readonly string[];
  readonly lines: readonly string[];
  /** True if the cause is a missing permission: an option that the error does not name shows nothing then. */
  readonly isOfPerson: boolean;
  /** True if the errors say why the calls failed. */
  readonly isCauseKnown: boolean;
  /** Where the working lines ran. */
  readonly cwd: string | null;
}

/**
 * Where a trait comes from that only the working calls had; null if agents must not be taught it. A sentence about
 * "calls without X" reads as advice to add X, so the same law applies as to a remedy.
 */
export function findTraitOrigin(trait: string, of: TraitCase): RemedyOrigin | null {
  const [kind = "", rest = ""] = [trait.split(" ", 1)[0], trait.slice(trait.indexOf(" ") + 1)];
  if (of.lines.length === 0 || of.lines.some((line) => findCommandRisk(line) !== null)) return null;
  if (of.lines.some((line) => namesOthersHome(line, of.cwd))) return null;
  switch (kind) {
    case "flag":
      return judgeFlag(rest, of);
    case "sets": {
      const settings = of.lines.flatMap((line) => settingsIn(line)).filter((one) => one.startsWith(`${rest}=`));
      return isNamed(of, rest) && !settings.some(isBypassSetting) ? "named" : null;
    }
    case "after": {
      const first = of.lines.flatMap((line) => parseCommands(line).filter((one) => one.head === rest));
      return first.every((one) => isNamedSafely(one, of)) ? "named" : null;
    }
    case "in":
    case "enters":
      return isNamed(of, rest) ? "named" : null;
    case "under":
      return isNamed(of, rest) && !isLoaded(rest) ? "named" : null;
    // What a call is about is the agent's choice.
    case "arg":
      return of.errors.some((error) => offersOnly(error, rest)) && !isLoaded(rest) ? "named" : null;
    default:
      return "correction";
  }
}

function judgeFlag(
  flag: string,
  { head, errors, failed, lines, isOfPerson, isCauseKnown }: TraitCase,
): RemedyOrigin | null {
  if (lines.every(asksForHelp)) return null;
  // Every option that the working lines have more: another one may be what made them work.
  const known = wordsIn(failed);
  const more = lines.flatMap((line) => listWordChanges(known, wordsIn([line])).addedOptions);
  if (resemblesBypass(flag) || more.some(({ name, value }) => resemblesBypass(name, value))) return null;
  if (errors.some((error) => offersChoice(error, head) || listsChoice(error, flag))) return null;
  if (isCauseKnown && errors.some((error) => offersOnly(error, flag))) return isLoaded(flag) ? null : "named";
  // The error asks for something else.
  if (isOfPerson || errors.some((error) => listNamedCommands(error).length > 0)) return null;
  const command = findMainCommand(failed.at(-1) ?? head);
  return command !== null && isHarmlessOption(command, flag) ? "option" : null;
}

function wordsIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => parseCommands(line).flatMap(({ words }) => words));
}

function isNamedSafely(command: ShellCommand, { errors }: TraitCase): boolean {
  const options = listWordChanges([], command.words.slice(1)).addedOptions;
  return (
    errors.some((error) => namesCommand(error, command)) &&
    isPreparation(command) &&
    !options.some(({ name, value }) => resemblesBypass(name, value))
  );
}

function isNamed({ errors }: TraitCase, word: string): boolean {
  return errors.some((error) => namesWord(error, word));
}

function settingsIn(line: string): readonly string[] {
  return parseCommands(line).flatMap(({ assignments, program, words }) =>
    [...assignments, ...(program === "export" ? words.slice(1) : [])].filter((one) => traitsOfSetting(one).length > 0),
  );
}
