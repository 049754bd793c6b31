import type { FailureCause } from "../../domain/cause/cause.ts";
import type { MatcherCondition } from "../../domain/rule/matching/synthesis.ts";
import {
  type ShellCommand,
  parseCommands,
  isShellTool,
  findScriptCommand,
  hasDeclaredFlags,
} from "../../domain/shell/command.ts";
import { interpreterOf, isScript } from "../../domain/shell/programs.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { typedHead } from "../../domain/shell/typed-head.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { TriedCall } from "../../store/derived/tries.ts";

/** True if a failure under an interpreter's head belongs to its script; it is then reported under the script's head. */
export function isOfScript(event: TriedCall, head: string, cause: FailureCause | null): boolean {
  if (cause !== null && (cause.blamed === head || ofInterpreter.has(cause.kind))) return false;
  const own = commandsIn(event).filter((command) => command.head === head);
  return own.length > 0 && own.every((command) => findScriptCommand(command) !== null);
}

/** Causes that may be the interpreter's own, even if a script reports them. */
const ofInterpreter: ReadonlySet<FailureCause["kind"]> = new Set(["missing-program", "missing-module", "missing-path"]);

/** If only an interpreter distinguishes the failures, the condition names the script it ran most often. */
export function withScript(
  condition: MatcherCondition,
  failed: readonly {
    readonly head: string | null;
    readonly cause: FailureCause | null;
    readonly traits: ReadonlySet<string>;
  }[],
): MatcherCondition {
  const [first] = failed;
  if (condition.has.length > 0 || first?.cause?.kind === "missing-program") return condition;
  if (first?.head == null || interpreterOf(first.head) === null) return condition;
  const scripts = failed.flatMap(({ traits }) =>
    [...traits].filter((trait) => /^arg [^-]/.test(trait) && isScript(trait)).slice(-1),
  );
  const [most] = [...groupBy(scripts, (trait) => trait)].toSorted((a, b) => b[1].length - a[1].length);
  return most === undefined || scripts.length < failed.length ? condition : { ...condition, has: [most[0]] };
}

/**
 * A script's head with its usual start, if always the same: `python3 tools/graft.py apply` for `graft.py
 * apply`. Any other head is unchanged.
 */
export function nameOf(
  head: string,
  tries: readonly { readonly event: TriedCall; readonly head: string | null }[],
): string {
  const names = new Set(
    tries
      .filter((one) => one.head === head)
      .map(({ event }) => commandsIn(event).flatMap((one) => startOf(one, head))[0]),
  );
  const [name] = names;
  return names.size === 1 && name !== undefined ? name : head;
}

/** A call's head as it was typed, so that it can be run. */
export function typedName({ event, head }: { readonly event: TriedCall; readonly head: string | null }): string | null {
  if (head === null) return null;
  const commands = commandsIn(event);
  const own = commands.find((command) => command.head === head);
  return own === undefined ? (commands.flatMap((one) => startOf(one, head))[0] ?? null) : typedHead(own);
}

/**
 * The name with the plain words that follow the program in all these calls: `R CMD check`. Only for a program whose
 * subcommands are not known.
 */
export function withSharedStart(
  name: string,
  tries: readonly { readonly event: TriedCall; readonly head: string | null }[],
): string {
  const starts = tries.map(({ event, head }) => {
    const own = commandsIn(event).find((command) => command.head === head);
    return own === undefined || own.head !== own.program || hasDeclaredFlags(own.program) ? [] : plainStart(own.words);
  });
  const [first = [], ...others] = starts;
  const shared = first.findIndex((word, at) => !others.every((start) => start[at] === word));
  return [name, ...first.slice(0, shared < 0 ? undefined : shared)].join(" ");
}

function plainStart([, ...words]: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => !/^[A-Za-z]+$/.test(word));
  // One word may be an argument.
  return end < 2 ? [] : words.slice(0, end);
}

function startOf(command: ShellCommand, head: string): readonly string[] {
  const script = findScriptCommand(command);
  if (script?.head !== head) return [];
  const start = command.words.slice(0, command.words.length - script.words.length + 1);
  return [[...start, ...head.split(" ").slice(1)].join(" ")];
}

function commandsIn({ tool, input }: TriedCall): readonly ShellCommand[] {
  return isShellTool(tool) ? parseCommands(findShellText(input) ?? "") : [];
}
