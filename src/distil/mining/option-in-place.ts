import { namesWord } from "../../domain/remedy/named-remedy.ts";
import { listWordChanges, type OptionWord } from "../../domain/remedy/word-changes.ts";
import { findMainCommand, type ShellCommand } from "../../domain/shell/command.ts";
import type { FoundCause, GroupTry } from "./find-causes.ts";
import { lineOf } from "./taught-traits.ts";

/** In one session only, it may be specific to that session. */
const MIN_SESSIONS = 2;

/**
 * The option that stands in the second call in place of another one, with the same value and nothing else changed:
 * `--env` for `ship --environment dev` and `ship --env dev`. Null if that is not the difference.
 */
export function findOptionInPlace(
  before: ShellCommand,
  after: ShellCommand,
): { readonly wrong: string; readonly right: string } | null {
  if (before.words[0] !== after.words[0]) return null;
  const [a, b] = [before, after].map(withSeparateValues) as [readonly string[], readonly string[]];
  const { added, removed, addedOptions, removedOptions } = listWordChanges(a, b);
  const [[wrong, ...moreWrong], [right, ...moreRight]] = [removedOptions, addedOptions] as [OptionWord[], OptionWord[]];
  if (wrong === undefined || right === undefined || added.length + removed.length > 0) return null;
  if (moreWrong.length + moreRight.length > 0 || wrong.name === right.name) return null;
  const valueOf = (words: readonly string[], { name }: OptionWord) => words[words.indexOf(name) + 1] ?? "-";
  const value = valueOf(a, wrong);
  return value.startsWith("-") || value !== valueOf(b, right) ? null : { wrong: wrong.name, right: right.name };
}

function withSeparateValues({ words }: ShellCommand): readonly string[] {
  return words.slice(1).flatMap((word) => {
    const [, name, value] = /^(--?[A-Za-z][^=]*)=(.+)$/s.exec(word) ?? [];
    return name === undefined || value === undefined ? [word] : [name, value];
  });
}

/**
 * A rule about one value of an option, where the error asks for another option and that one worked with the same value:
 * then it is about the option with any value.
 */
export function withAnyValue(found: FoundCause, tries: readonly GroupTry[], within: number): FoundCause {
  const { condition, cause, key } = found;
  const [trait = "", ...others] = condition.has;
  const [, option] = /^arg (--?[A-Za-z][\w-]*) /.exec(trait) ?? [];
  if (option === undefined || cause !== null || others.length + condition.lacks.length > 0) return found;
  const failed = tries.filter((one) => one.failed && one.key === key && one.traits.has(trait));
  const isCorrected = (one: GroupTry) => {
    const next = tries.find(({ failed: isFailure, session, event }) => {
      const apart = event.seq - one.event.seq;
      return !isFailure && session === one.session && apart > 0 && apart <= within;
    });
    const [before, after] = [one, next].map((each) => (each === undefined ? null : findMainCommand(lineOf(each))));
    const change = before == null || after == null ? null : findOptionInPlace(before, after);
    return change?.wrong === option && namesWord(one.event.error ?? "", change.right);
  };
  const flag = `flag ${option}`;
  const hasWorked = tries.some((one) => !one.failed && one.traits.has(flag));
  const sessions = new Set(failed.filter(isCorrected).map((one) => one.session));
  if (hasWorked || sessions.size < MIN_SESSIONS || !failed.every((one) => one.traits.has(flag))) return found;
  return { ...found, condition: { ...condition, has: [flag] } };
}
