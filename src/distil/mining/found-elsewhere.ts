import type { FailureCause } from "../../domain/cause/cause.ts";
import type { CauseKind } from "../../domain/cause/patterns.ts";
import { parseCommands } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import type { GroupTry } from "./find-causes.ts";

/**
 * True if a call of the same sessions worked with the thing that the error calls missing: with another option, namespace
 * or folder it is there.
 */
export function isFoundElsewhere(
  cause: FailureCause | null,
  failures: readonly GroupTry[],
  tries: readonly GroupTry[],
): boolean {
  if (cause?.thing == null || !ofNames.has(cause.kind)) return false;
  const { thing } = cause;
  const sessions = new Set(failures.map((one) => one.session));
  return tries.some((one) => !one.failed && sessions.has(one.session) && isGiven(one, thing));
}

/** Causes by which a name was not found where the call looked for it. */
const ofNames: ReadonlySet<CauseKind> = new Set(["unknown-name"]);

function isGiven({ event }: GroupTry, thing: string): boolean {
  return parseCommands(findShellText(event.input) ?? "").some(({ words }) =>
    words.some((word) => word === thing || word.endsWith(`/${thing}`) || word.endsWith(`=${thing}`)),
  );
}
