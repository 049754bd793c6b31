import { findMainCommand, type ShellCommand } from "./command.ts";
import { manifests } from "./script-runners.ts";
import { isDryRun } from "./variables.ts";

/**
 * True if a line only asks what its program can do or would do: `pytest --version`, `git help push`, `make -n`. Such a call looks for the cause
 * of a failure; it repairs nothing, and no mistake can be made in it.
 */
export function asksForHelp(line: string): boolean {
  const main = findMainCommand(line);
  return main !== null && isHelpCall(main);
}

export function isHelpCall({ program, head, words, flags }: ShellCommand): boolean {
  if (readers.has(program)) return true;
  if (takesPattern.has(program)) return false;
  if (flags.some((flag) => isDryRun(program, flag))) return true;
  const end = manifests.has(program) ? -1 : words.indexOf("--");
  const given = words.slice(1, end < 0 ? undefined : end);
  if (given.some((word) => word === "--help" || word === "--version")) return true;
  if (given[0] === "help" || head.split(" ").includes("help")) return true;
  return given.at(-1) === "-h" && !ofAnotherSense.has(program);
}

const readers: ReadonlySet<string> = new Set("man info tldr".split(" "));

/** A word of these may be what is looked for. */
const takesPattern: ReadonlySet<string> = new Set("grep egrep fgrep rg ag ack echo printf sed awk".split(" "));

/** `-h` is no help here: `du -h` writes sizes for people. */
const ofAnotherSense: ReadonlySet<string> = new Set("du df ls ll free sort head tail psql mysql".split(" "));
