import {
  type Command,
  deeper,
  describe,
  enter,
  type Frame,
  innerScript,
  insideOf,
  maxNesting,
  unwrapped,
  withAssignments,
} from "./command.ts";
import { parseWithSubstitutions, type SimpleCommand } from "./parse.ts";
import { startedBy } from "./started.ts";

/**
 * Every command that a shell text runs, also those that others start: in `$(…)` and backticks, by `find -exec`, by `npx`
 * or `uv run`; and the shells themselves. More than a call is about: what a rule forbids is looked for in all of it.
 */
export function everyCommandOf(shell: string): readonly Command[] {
  if (shell === last.shell) return last.commands;
  const found: Command[] = [];
  collectEvery(shell, { cwd: null, wrappers: [], depth: 0 }, found);
  last = { shell, commands: found };
  return found;
}

let last: { readonly shell: string; readonly commands: readonly Command[] } = { shell: "", commands: [] };

function collectEvery(shell: string, frame: Frame, into: Command[]): void {
  const { commands, substitutions } = parseWithSubstitutions(shell);
  for (const simple of commands) enter(frame, startEvery(simple.words, simple, frame, into));
  if (frame.depth < maxNesting) for (const inner of substitutions) collectEvery(inner, deeper(frame), into);
}

/** One command, then what it starts: the operator behind it joins all of them to what follows. */
function startEvery(all: readonly string[], simple: SimpleCommand, frame: Frame, into: Command[]): Command | undefined {
  const { words, by, assignments } = unwrapped(all);
  if (words.length === 0) return undefined;
  const inside = insideOf(frame, by);
  const command = describe(words, withAssignments(simple, assignments), inside);
  into.push(command);
  if (frame.depth >= maxNesting) return command;
  const inner = innerScript(words, simple);
  if (inner !== null) collectEvery(inner, deeper(inside), into);
  for (const started of startedBy(command)) startEvery(started, simple, deeper(inside), into);
  return command;
}
