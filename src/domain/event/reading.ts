import { isShellTool, findMainCommand } from "../shell/command.ts";
import { findShellText } from "../shell/shell-text.ts";
import type { NewEvent } from "./event.ts";
import { readOutcome } from "./outcome.ts";
import { isPseudoTool } from "./pseudo-tool.ts";
import { signatureOf } from "./signature.ts";

/** A call as a host told it: its own flag, and the text of its result or error, already without secrets. */
export type RawCall = Pick<NewEvent, "host" | "tool" | "input" | "ok" | "exitCode" | "error" | "text">;

export type ReadCall = Pick<NewEvent, "head" | "outcome" | "benign" | "exitCode" | "error" | "signature" | "text">;

/**
 * What the call came to. Hooks store calls unread, because reading costs more than everything else they do;
 * whoever reads events next reads these first. Imports, which have time, read at once.
 */
export function readCall(call: RawCall): ReadCall {
  const { host, input, exitCode } = call;
  const tool = call.tool ?? "";
  const reading = readOutcome({ host, tool, input, ok: call.ok !== false, text: call.error ?? call.text, exitCode });
  const shell = isShellTool(tool) ? findShellText(input) : null;
  const failed = reading.outcome === "failed" && reading.error !== null && !isPseudoTool(tool);
  return {
    head: shell === null ? null : headOf(shell),
    outcome: reading.outcome,
    // An answer of the host that could not be read as a call is no mistake of a call.
    benign: reading.benign || (reading.outcome === "failed" && isPseudoTool(tool)),
    exitCode: reading.exitCode,
    error: reading.error,
    signature: failed ? signatureOf(tool, input, reading.error ?? "").key : null,
    // A result that turned out to be an error is told there; a rejection's words are the user's.
    text: reading.outcome === "ok" ? call.text : reading.correction,
  };
}

/** Agents run the same commands again and again, and taking one apart is most of the reading. */
function headOf(shell: string): string {
  const known = heads.get(shell);
  if (known !== undefined) return known;
  const head = findMainCommand(shell)?.head ?? "";
  if (heads.size >= 2_000) heads.clear();
  if (shell.length <= 200) heads.set(shell, head);
  return head;
}

const heads = new Map<string, string>();
