import type { ShellCommand } from "../shell/command.ts";
import { findCommandFolder } from "./call-needs.ts";
import { resolveShellWord } from "./resolve-path.ts";

interface PlacedCommand {
  readonly command: ShellCommand;
  /** The folder in which its line was run. */
  readonly cwd: string | null;
}

/** True if both run the same program with the same arguments: `bin/gauge` is `../bin/gauge` after `cd hold`. */
export function isSameCommand(one: PlacedCommand, other: PlacedCommand): boolean {
  if (one.command.text === other.command.text) return true;
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return a.length === b.length && a.every((word, at) => word === b[at]);
}

function wordsOf({ command, cwd }: PlacedCommand): readonly string[] {
  const folder = findCommandFolder(command, cwd);
  const { assignments, wrappers, words } = command;
  return [
    ...assignments,
    ...wrappers,
    "",
    ...words.map((word) => (word.includes("/") ? (resolveShellWord(word, folder) ?? word) : word)),
  ];
}
