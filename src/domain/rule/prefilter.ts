import { parseNamedCommands } from "../shell/named-command.ts";
import type { Matcher } from "./rule.ts";
import { isStateTrait } from "./situation.ts";

/**
 * Whether a call can be what a matcher warns against, told from its input as it is stored, without reading it: of a million
 * calls most cannot. Says yes wherever it is not sure.
 */
export function buildPrefilter(matcher: Matcher): (input: string, state: readonly string[]) => boolean {
  const has = matcher.has ?? [];
  const states = has.filter(isStateTrait);
  const absent = (matcher.lacks ?? []).filter(isStateTrait);
  const pieces = [
    ...has.flatMap(pieceOf),
    ...(matcher.command === undefined ? [] : longest(matcher.command)),
    ...(matcher.runs === undefined ? [] : namedPieces(matcher.runs)),
  ];
  return (input, state) =>
    states.every((one) => state.includes(one)) &&
    !absent.some((one) => state.includes(one)) &&
    (pieces.every((piece) => input.includes(piece)) || isBroken(input));
}

/** The longest part of what a trait names that stands in the input as it is; nothing where there is none. */
function pieceOf(trait: string): readonly string[] {
  if (trait === "enters where it is") return [];
  const named = /^(?:(?:flag|arg|extension|below|after|under|program|enters|field) |(?=\w+=))([^]+)$/.exec(trait)?.[1];
  return named === undefined ? [] : longest(named);
}

/** Flags have other spellings and subcommands other names; the programs stand there as they are. */
function namedPieces(named: string): readonly string[] {
  return parseNamedCommands(named).flatMap(({ program }) => longest(program));
}

/** Digits are masked, paths are joined, and JSON writes some characters otherwise: what is between those is as it was. */
function longest(text: string): readonly string[] {
  const runs = text.match(/[A-Za-z_.-]+/g) ?? [];
  return runs.toSorted((a, b) => b.length - a.length).slice(0, 1);
}

/** Quotes or escapes within a word: `--no-"verify"`. The shell takes them away, so that the word is not there as it is. */
function isBroken(input: string): boolean {
  return /[\w.-](?:\$?(?:\\\\|\\"|')(?:\\n)?)+[\w.-]/.test(input);
}
