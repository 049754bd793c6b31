import { parseNamedCommands } from "../../shell/named-command.ts";
import type { Matcher } from "../rule.ts";
import { isStateTrait } from "./situation.ts";

/**
 * Returns a fast test on a call's stored input, without parsing it, because most of a million calls cannot match.
 * Returns true if unsure.
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

/** The longest part of a trait that occurs in the input literally; empty if there is none. */
function pieceOf(trait: string): readonly string[] {
  if (trait === "enters where it is") return [];
  const named = /^(?:(?:flag|arg|extension|below|after|under|program|enters|field) |(?=\w+=))([^]+)$/.exec(trait)?.[1];
  return named === undefined ? [] : longest(named);
}

/** Flags and subcommands have several spellings; only the program occurs literally. */
function namedPieces(named: string): readonly string[] {
  return parseNamedCommands(named).flatMap(({ program }) => longest(program));
}

/** Digits are masked, paths are joined, and JSON escapes some characters; only the text between those is literal. */
function longest(text: string): readonly string[] {
  const runs = text.match(/[A-Za-z_.-]+/g) ?? [];
  return runs.toSorted((a, b) => b.length - a.length).slice(0, 1);
}

/** Quotes or escapes within a word: `--no-"verify"`. The shell removes them, so the word does not occur literally. */
function isBroken(input: string): boolean {
  return /[\w.-](?:\$?(?:\\\\|\\"|')(?:\\n)?)+[\w.-]/.test(input);
}
