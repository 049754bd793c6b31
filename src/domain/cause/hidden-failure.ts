import type { Event } from "../event/event.ts";
import { findShellText } from "../shell/shell-text.ts";
import { isShellTool, parseCommands, withScripts, type ShellCommand } from "../shell/command.ts";
import { detectCause, isUnmistakable, type FailedCall, type FailureCause } from "./cause.ts";

/**
 * Why a command of the line failed although the line exited with 0: a pipe, `|| true` or `; echo` put another program's
 * exit code in its place. Null unless the output names the cause without doubt.
 */
export function findHiddenFailure(call: FailedCall, output: string): FailureCause | null {
  const shell = isShellTool(call.tool) ? (findShellText(call.input) ?? "") : "";
  if (!mayHideFailure(shell, output)) return null;
  const cause = detectCause(call, output);
  if (cause === null || !isUnmistakable(cause)) return null;
  return exitsWithZero.test(output) || !provesSuccess(shell, cause.blamed) ? cause : null;
}

/**
 * What a call says that its host reports as a success. "failed": its output is an error without doubt. "unclear": the
 * exit code is another program's, and the output names an error.
 */
export function judgeReportedSuccess(call: FailedCall, output: string | null): "worked" | "failed" | "unclear" {
  const shell = isShellTool(call.tool) ? (findShellText(call.input) ?? "") : "";
  if (output === null || !mayHideFailure(shell, output)) return "worked";
  if (findHiddenFailure(call, output) !== null) return "failed";
  const cause = detectCause(call, output);
  return cause === null || provesSuccess(shell, cause.blamed) ? "worked" : "unclear";
}

/** True if a pipe hid that a file is missing, and nothing else was printed. */
export function isOnlyMissingPath(call: FailedCall, output: string): boolean {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const isMissing = (text: string) => {
    const cause = detectCause(call, text);
    return cause?.kind === "missing-path" && cause.blamed !== null;
  };
  return lines.length > 0 && lines.length <= MOST_ERRORS && lines.every(isMissing);
}

const MOST_ERRORS = 3;

/** True if the host reported that the call worked, and only its output says that it failed. */
export function isHiddenFailure({ ok, exitCode, outcome }: Pick<Event, "ok" | "exitCode" | "outcome">): boolean {
  return outcome === "failed" && ok !== false && (exitCode ?? 0) === 0;
}

/** True if the line's exit code may not be that of all its commands, and the output may name an error. Cheap. */
function mayHideFailure(shell: string, output: string | null): boolean {
  return output !== null && (exitsWithZero.test(output) || (/[|;&\n]/.test(shell) && namesError.test(output)));
}

const namesError =
  /error|fail|not found|no such|unrecogni|unknown|usage|invalid|illegal|unexpected|missing|cannot|can't|denied|no module|no rule|not a/i;

/** pnpm says that it ran nothing, and exits with 0. */
const exitsWithZero = /^None of the selected packages has a /m;

/** True if exit code 0 of the line proves that the command with this head worked. */
function provesSuccess(shell: string, head: string | null): boolean {
  const commands = parseCommands(shell);
  const at = commands.findIndex((one) => withScripts([one]).some((own) => own.head === head));
  return at >= 0 && commands.slice(at).every((one, i, rest) => i === rest.length - 1 || isPassedOn(one, commands));
}

/** True if the line ends with the command's failure. */
function isPassedOn({ operator }: ShellCommand, commands: readonly ShellCommand[]): boolean {
  if (operator === "&&" || operator === null) return true;
  const sets = (option: RegExp) =>
    commands.some(({ program, words }) => program === "set" && option.test(words.join(" ")));
  if (operator === "|") return sets(/pipefail/);
  return operator === ";" && sets(/^set -\w*e/);
}
