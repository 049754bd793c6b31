import type { ShellCommand } from "./command.ts";
import { plainPath } from "./plain-path.ts";
import { findRunScript } from "./run-script.ts";

/** The head with its program as typed, so that it can be run: `bin/gate run` for the head `gate run`. */
export function typedHead({ head, program, words }: Pick<ShellCommand, "head" | "program" | "words">): string {
  const typed = plainPath(words[0] ?? "", null);
  return typed.includes("/") && !/\s/.test(typed) && head.startsWith(program)
    ? typed + head.slice(program.length)
    : head;
}

/** The same with the script that an interpreter runs: `python3 tools/render.py`, of which `python3` alone is no call. */
export function typedStart(command: Pick<ShellCommand, "head" | "program" | "words">): string {
  return findRunScript(command)?.typed ?? typedHead(command);
}
