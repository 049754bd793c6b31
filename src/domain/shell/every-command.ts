import {
  type ShellCommand,
  deeperFrame,
  describeCommand,
  enterFolder,
  type Frame,
  findInnerScript,
  frameInside,
  maxNesting,
  unwrapWords,
  withAssignments,
} from "./command.ts";
import { parseWithSubstitutions, type SimpleCommand } from "./parse.ts";
import { findStartedCommands } from "./started-commands.ts";

/**
 * Parses every command that a shell text runs, including those started by others: in `$(…)` and backticks, by
 * `find -exec`, by `npx` or `uv run`, and the shells themselves. A rule's forbidden command is searched in all of them.
 */
export function parseEveryCommand(shell: string): readonly ShellCommand[] {
  if (shell === last.shell) return last.commands;
  const found: ShellCommand[] = [];
  collectEvery(shell, { cwd: null, wrappers: [], depth: 0 }, found);
  last = { shell, commands: found };
  return found;
}

let last: { readonly shell: string; readonly commands: readonly ShellCommand[] } = { shell: "", commands: [] };

function collectEvery(shell: string, frame: Frame, into: ShellCommand[]): void {
  const { commands, substitutions } = parseWithSubstitutions(shell);
  for (const simple of commands) enterFolder(frame, startEvery(simple.words, simple, frame, into));
  if (frame.depth < maxNesting) for (const inner of substitutions) collectEvery(inner, deeperFrame(frame), into);
}

/** Adds one command and the commands it starts. The operator after it applies to all of them. */
function startEvery(
  all: readonly string[],
  simple: SimpleCommand,
  frame: Frame,
  into: ShellCommand[],
): ShellCommand | undefined {
  const { words, by, assignments } = unwrapWords(all);
  if (words.length === 0) return undefined;
  const inside = frameInside(frame, by);
  const command = describeCommand(words, withAssignments(simple, assignments), inside);
  into.push(command);
  if (frame.depth >= maxNesting) return command;
  const inner = findInnerScript(words, simple);
  if (inner !== null) collectEvery(inner, deeperFrame(inside), into);
  for (const started of findStartedCommands(command)) startEvery(started, simple, deeperFrame(inside), into);
  return command;
}
