import { plainPath } from "./plain-path.ts";
import { findScriptIndex } from "./started-commands.ts";

/** The script that a command hands to an interpreter. */
export interface RunScript {
  /** As written: `tools/gen.py`. */
  readonly script: string;
  /** The command up to and including the script: `uv run python tools/gen.py`. */
  readonly typed: string;
}

/** Null if the command runs no script, or code that is typed (`python -c`). */
export function findRunScript(command: {
  readonly program: string;
  readonly words: readonly string[];
}): RunScript | null {
  const { program, words } = command;
  const at = findScriptIndex(program, words);
  const script = words[at];
  if (at < 1 || script === undefined || !/^[\w./~@+-]*\w$/.test(script)) return null;
  return { script: plainPath(script, program), typed: words.slice(0, at + 1).join(" ") };
}

/** True if both run the same script, or none: a call of another script does other work. */
export function runsSameScript(
  one: { readonly program: string; readonly words: readonly string[] },
  other: { readonly program: string; readonly words: readonly string[] },
): boolean {
  const [a, b] = [one, other].map((command) => baseOf(findRunScript(command)?.script ?? ""));
  return a === b;
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
