import { isShellTool, findMainCommand } from "../shell/command.ts";
import { findShellText } from "../shell/shell-text.ts";
import type { NewEvent } from "../event/event.ts";
import { isBenign } from "../event/benign.ts";
import { unwrapHostText } from "../event/host-text.ts";
import { readOutcome, type OutcomeReading } from "../event/outcome.ts";
import { isPseudoTool } from "../event/pseudo-tool.ts";
import { signatureOf } from "../event/signature.ts";
import { findHiddenFailure } from "./hidden-failure.ts";

/**
 * The version of the laws by which calls are read: outcomes, benign failures, hidden failures, signatures, heads.
 * Increase it with a change of these laws: stored calls are then read again (`store/derived/reread-calls.ts`).
 */
export const readingVersion = "4";

/** A call as the host reported it: its flag, and the text of its result or error, already redacted. */
export type RawCall = Pick<NewEvent, "host" | "tool" | "input" | "ok" | "exitCode" | "error" | "text">;

export type ReadCall = Pick<NewEvent, "head" | "outcome" | "benign" | "exitCode" | "error" | "signature" | "text">;

/**
 * Determines the outcome of a call. Hooks store calls unread, because this costs more than everything else they do; the
 * next reader of events does it first. Imports do it at once.
 */
export function readCall(call: RawCall): ReadCall {
  const { host, input, exitCode } = call;
  const tool = call.tool ?? "";
  const text = call.error ?? call.text;
  const reported = readOutcome({ host, tool, input, ok: call.ok !== false, text, exitCode });
  const reading = reported.outcome === "ok" ? (readHiddenFailure(call, reported) ?? reported) : reported;
  const shell = isShellTool(tool) ? findShellText(input) : null;
  const failed = reading.outcome === "failed" && reading.error !== null && !isPseudoTool(tool);
  return {
    head: shell === null ? null : headOf(shell),
    outcome: reading.outcome,
    // Not a mistake: the recorder could not read the host's answer as a call.
    benign: reading.benign || (reading.outcome === "failed" && isPseudoTool(tool)),
    exitCode: reading.exitCode,
    error: reading.error,
    signature: failed ? signatureOf(tool, input, reading.error ?? "").key : null,
    // If a result is an error, it is in `error`; for a rejection, this is what the user wrote.
    text: reading.outcome === "ok" ? call.text : reading.correction,
  };
}

/** A call that was read before, as the host had reported it: the output of a hidden failure was no error to the host. */
export function toRawCall<T extends RawCall & Pick<ReadCall, "outcome">>(call: T): T {
  return call.outcome === "failed" && call.ok !== false && call.text === null
    ? { ...call, text: call.error, error: null }
    : call;
}

/** The host reports success, but the output is the error of a program whose exit code another program replaced. */
function readHiddenFailure(call: RawCall, reported: OutcomeReading): OutcomeReading | null {
  const { tool, input, host } = call;
  if (tool === null || call.text === null || call.text === "") return null;
  const error = unwrapHostText(call.text, host, false).body;
  if (findHiddenFailure({ tool, input }, error) === null) return null;
  if (isBenign({ tool, input, exitCode: reported.exitCode, error })) return null;
  return { ...reported, outcome: "failed", error };
}

/** Cached: agents repeat commands, and parsing them is most of the cost. */
function headOf(shell: string): string {
  const known = heads.get(shell);
  if (known !== undefined) return known;
  const head = findMainCommand(shell)?.head ?? "";
  if (heads.size >= 2_000) heads.clear();
  if (shell.length <= 200) heads.set(shell, head);
  return head;
}

const heads = new Map<string, string>();
