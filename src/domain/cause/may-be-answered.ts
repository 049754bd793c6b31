import { isRecord } from "../../lib/json.ts";
import { deletes } from "../risk/command-risk.ts";
import { type ShellCommand, isShellTool } from "../shell/command.ts";
import { runsElsewhere } from "../shell/elsewhere.ts";
import { parseEveryCommand } from "../shell/every-command.ts";
import { findShellText } from "../shell/shell-text.ts";
import type { FailedCall, FailureCause } from "./cause.ts";

/**
 * False for a call that deletes what is missing (a similar path must not take its place), and for a call that failed on
 * another machine or in a container (this disk says nothing about it).
 */
export function mayBeAnswered(call: FailedCall, cause: FailureCause): boolean {
  if (!isShellTool(call.tool)) return !isDeletingTool(call);
  const commands = parseEveryCommand(findShellText(call.input) ?? "");
  // Not installed: the program itself was looked for here.
  if (cause.kind === "missing-program" && commands.some((one) => one.program === cause.thing)) return true;
  const naming = cause.thing === null ? [] : commands.filter((one) => isNamedBy(one, cause.thing ?? ""));
  const concerned = naming.length === 0 ? commands : naming;
  return !concerned.some((one) => runsElsewhere(one) || (naming.length > 0 && deletes(one)));
}

function isNamedBy({ words, redirects }: ShellCommand, thing: string): boolean {
  const bare = thing.replace(/^\.\//, "").replace(/\/+$/, "");
  return [...words, ...redirects.flatMap(({ target, body }) => [target, body ?? ""])].some((word) =>
    word.includes(bare),
  );
}

/** A tool by its name, or a patch that deletes a file. */
function isDeletingTool({ tool, input }: FailedCall): boolean {
  if (/(?:^|[_.-])(?:delete|remove|unlink|rm|trash)(?:$|[_.-])|^(?:delete|remove)[A-Z]/.test(tool)) return true;
  const patch = isRecord(input) ? (input["input"] ?? input["patch"]) : input;
  return typeof patch === "string" && /^\*\*\* Delete File: /m.test(patch);
}
