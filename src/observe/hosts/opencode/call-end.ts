import { isRecord, stringOr } from "../../../lib/json.ts";
import type { FinishedCall } from "../../protocol/to-event.ts";

export interface OpencodeCallEnd extends Pick<FinishedCall, "ok" | "text" | "exitCode"> {
  readonly durationMs: number | null;
}

/**
 * The end of a call with the status `completed`, which opencode also uses for a command that failed, was stopped or
 * timed out.
 */
export function parseCompletedCall(tool: string, result: unknown): Omit<OpencodeCallEnd, "durationMs"> {
  const { output, content, exit } = isRecord(result) ? result : {};
  const exitCode = Number.isSafeInteger(exit) ? Number(exit) : null;
  const printed = removeAdvice(stringOr(output, null) ?? readContent(content));
  // If a tool does not exist or its arguments are invalid, opencode calls this one instead, which only reports that.
  if (tool === "invalid") return { ok: false, text: printed, exitCode };
  const note = exitCode === null && printed !== null ? (shellNote.exec(printed)?.[1] ?? "") : "";
  if (note.includes("User aborted the command"))
    return { ok: false, text: `Interrupted by user\n${printed}`, exitCode };
  return { ok: !note.includes("after exceeding timeout"), text: printed, exitCode };
}

/** The end of a call that threw; opencode fires no hook for it. */
export function parseThrownCall(state: Readonly<Record<string, unknown>>): OpencodeCallEnd {
  return { ok: false, text: stringOr(state["error"], null), exitCode: null, durationMs: readDuration(state) };
}

export function readDuration(state: Readonly<Record<string, unknown>>): number | null {
  const { start, end } = isRecord(state["time"]) ? state["time"] : {};
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) ? Math.max(0, Number(end) - Number(start)) : null;
}

/** A note by opencode at the end of a command's output. */
const shellNote = /<(?:shell|bash)_metadata>([^]*)<\/(?:shell|bash)_metadata>\s*$/;

/** Removes what our plugin added to the result. */
function removeAdvice(output: string | null): string | null {
  return output === null ? null : output.replace(/\n\n<oldhand>\n[^]*\n<\/oldhand>$/, "");
}

/** Tools of MCP servers answer in parts. */
function readContent(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((part) => (isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : []));
  return texts.length > 0 ? texts.join("\n") : null;
}
