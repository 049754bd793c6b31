import { findBsdOption } from "../cause/bsd-options.ts";
import { resemblesBypass } from "../risk/bypass-words.ts";
import { isLoaded } from "../risk/loaded-words.ts";
import type { ShellCommand } from "../shell/command.ts";
import { haveSameWords } from "../text/same-words.ts";
import { isDisplayOption, isShowingHead, onlyShows } from "../shell/only-shows.ts";
import { isHarmlessOption } from "./harmless-option.ts";
import { listNamedCommands, listsChoice, namesWord, offersChoice } from "./named-remedy.ts";
import { offersOnly } from "./only-offer.ts";
import { added, correction, judgeProtection, named, other, type RemedyPart, withheldOption } from "./remedy-part.ts";
import { saysUnknown } from "./says-unknown.ts";
import { isNearOption, type OptionWord, type WordChanges } from "./word-changes.ts";

export interface OptionCase {
  readonly changes: WordChanges;
  readonly error: string;
  readonly before: ShellCommand;
  /** True if the error says why the call failed. If not, nothing shows that an option has to do with it. */
  readonly isCauseKnown: boolean;
}

/** An option that only the working call has: the wrong one spelled right, the one that the error offers, or harmless. */
export function judgeOption(option: OptionWord, of: OptionCase): readonly RemedyPart[] {
  const { changes, error, before } = of;
  const { removedOptions } = changes;
  const sameName = removedOptions.find((one) => one.name === option.name);
  if (sameName !== undefined) return [judgeNewValue(option, sameName.value, of)];
  const isOfCause = (one: OptionWord) =>
    of.isCauseKnown || saysUnknown(error, one.name) || namesWord(error, option.name);
  const wrong = removedOptions.find((one) => isNearOption(one, option) && isOfCause(one));
  // A shortened name is another spelling, but not of what widens or forces.
  if (wrong !== undefined && (haveSameWords(wrong.name, option.name) || !isLoaded(option.name) || isLoaded(wrong.name)))
    return [correction, ...(isOff(option) ? [withheldOption(option)] : []), ...judgeValue(option, of)];
  if (removedOptions.some((one) => isEqualOption(before, one.name, option.name))) return [correction];
  const protects = judgeProtection(option);
  if (protects.length > 0) return protects;
  const replaces = removedOptions.some((one) => saysUnknown(error, one.name));
  if (isHarmlessOption(before, option.name) && (replaces || !asksForElse(of)))
    return [replaces ? correction : added, ...(isShowingHead(before) ? judgeValue(option, of) : [])];
  const isInPlace = replaces || removedOptions.length === 1;
  if (isInPlace && of.isCauseKnown && offersOnly(error, option.name) && !isLoaded(option.name))
    return [named, ...judgeValue(option, of)];
  return [other(explainOption(option.name, of))];
}

/**
 * True if an option in place of an unknown one is shown to be the same, or to do no harm: for what an error offers and no
 * call has tried yet.
 */
export function mayReplaceOption(
  wrong: string,
  right: string,
  { before, error }: { readonly before: ShellCommand; readonly error: string },
): boolean {
  const changes = { added: [], removed: [], addedOptions: [asWord(right)], removedOptions: [asWord(wrong)] };
  return judgeOption(asWord(right), { changes, error, before, isCauseKnown: true }).every(
    ({ reason }) => reason === null,
  );
}

function asWord(name: string): OptionWord {
  return { name, value: null };
}

function explainOption(name: string, { changes, error, before, isCauseKnown }: OptionCase): string {
  if (offersChoice(error, before.head) || listsChoice(error, name))
    return "the error offers a choice between several remedies";
  if (isLoaded(name) && namesWord(error, name)) return `\`${name}\` may widen or change what the call does`;
  if (!isCauseKnown) return `the cause is not known, and nothing shows that \`${name}\` keeps what the call does`;
  const [command] = listNamedCommands(error).filter((one) => !one.startsWith(`${before.head} -`));
  if (command !== undefined && !namesWord(error, name)) return `the error names another remedy, \`${command}\``;
  if (namesWord(error, name)) return `the error does not say that \`${name}\` does the same`;
  const [wrong] = changes.removedOptions;
  return wrong === undefined
    ? `the error does not name \`${name}\``
    : `nothing shows that \`${name}\` does the same as \`${wrong.name}\``;
}

function asksForElse({ error, before }: OptionCase): boolean {
  return listNamedCommands(error).some((one) => !one.startsWith(`${before.head} -`));
}

/** Two names of one thing: `cat -A` is `cat -et` where programs have BSD's options. */
function isEqualOption({ program }: ShellCommand, wrong: string, right: string): boolean {
  return findBsdOption(program, wrong, right.slice(1)) === right;
}

/** The same option with another value. */
function judgeNewValue({ name, value }: OptionWord, before: string | null, of: OptionCase): RemedyPart {
  if (onlyShows(of.before)) return correction;
  if (value !== null && before !== null && mayReplaceValue(before, value, of.error)) return correction;
  return other(
    value === null
      ? `it does other work, without the value of \`${name}\``
      : `it does other work, with \`${name} ${value}\``,
  );
}

/** A value that the error calls wrong, spelled right; or the only one that the error offers. */
export function mayReplaceValue(before: string, after: string, error: string): boolean {
  if (resemblesBypass("--value", after)) return false;
  return (haveSameWords(before, after) && saysUnknown(error, before)) || (offersOnly(error, after) && !isLoaded(after));
}

/** A subcommand that the error offers: the wrong one spelled right, or nothing that acts on others. */
export function mayReplaceName(wrong: string, right: string, error: string): boolean {
  return haveSameWords(wrong, right) || (offersOnly(error, right) && !isLoaded(right));
}

/** A value that is neither in the error nor in the failed call was the agent's choice: of a file, a target, an account. */
function judgeValue({ name, value }: OptionWord, { changes, before }: OptionCase): readonly RemedyPart[] {
  const given = [...before.words, ...changes.removedOptions.map((one) => one.value)];
  const isGiven = value === null || isConstant(value) || given.includes(value);
  return isGiven ? [] : [other(`the error does not say which value \`${name}\` needs`)];
}

/** A number or a switch chooses nothing. */
function isConstant(value: string): boolean {
  return /^(?:\d+(?:\.\d+)?[a-zA-Z%]{0,2}|true|yes|on|auto)$/.test(value);
}

function isOff({ name, value }: OptionWord): boolean {
  return value !== null && resemblesBypass(`-value=${value}`) && !resemblesBypass(name);
}

/**
 * An option that is left out. That the call works without it shows nothing: it may be what kept data or stopped the call.
 * Only what a program shows does not depend on it.
 */
export function judgeRemoved(option: OptionWord, { changes, error, before }: OptionCase): readonly RemedyPart[] {
  const { addedOptions, removedOptions } = changes;
  if (addedOptions.some((one) => one.name === option.name || isNearOption(option, one))) return [];
  if (onlyShows(before) || isDisplayOption(option.name)) return saysUnknown(error, option.name) ? [correction] : [];
  // Judged as the one that took its place.
  const isOffered = addedOptions.some((one) => offersOnly(error, one.name));
  const isReplaced = addedOptions.length >= removedOptions.length && (isOffered || saysUnknown(error, option.name));
  return isReplaced ? [] : [other(`without \`${option.name}\`, it may leave out a check or do more`)];
}
