import { isRecord, stringOr } from "../../../lib/json.ts";
import type { FinishedCall } from "../../protocol/to-event.ts";

export interface OpencodeCallEnd extends Pick<FinishedCall, "ok" | "text" | "exitCode"> {
  readonly durationMs: number | null;
}

/** How a call ended that opencode calls completed: a command that failed, was stopped or ran out of time is that too. */
export function parseCompletedCall(tool: string, result: unknown): Omit<OpencodeCallEnd, "durationMs"> {
  const { output, content, exit } = isRecord(result) ? result : {};
  const exitCode = Number.isSafeInteger(exit) ? Number(exit) : null;
  const printed = removeAdvice(stringOr(output, null) ?? readContent(content));
  // Where a tool does not exist or its arguments cannot be read, opencode calls this one instead, which only says so.
  if (tool === "invalid") return { ok: false, text: printed, exitCode };
  const note = exitCode === null && printed !== null ? (shellNote.exec(printed)?.[1] ?? "") : "";
  if (note.includes("User aborted the command"))
    return { ok: false, text: `Interrupted by user\n${printed}`, exitCode };
  return { ok: !note.includes("after exceeding timeout"), text: printed, exitCode };
}

/** How a call ended that threw: for such a one opencode calls no hook. */
export function parseThrownCall(state: Readonly<Record<string, unknown>>): OpencodeCallEnd {
  return { ok: false, text: stringOr(state["error"], null), exitCode: null, durationMs: readDuration(state) };
}

export function readDuration(state: Readonly<Record<string, unknown>>): number | null {
  const { start, end } = isRecord(state["time"]) ? state["time"] : {};
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) ? Math.max(0, Number(end) - Number(start)) : null;
}

/** At the end of what a command printed, in words of opencode's. */
const shellNote = /<(?:shell|bash)_metadata>([^]*)<\/(?:shell|bash)_metadata>\s*$/;

/** What our plugin added to a result is no part of it. */
function removeAdvice(output: string | null): string | null {
  return output === null ? null : output.replace(/\n\n<oldhand>\n[^]*\n<\/oldhand>$/, "");
}

/** Tools of MCP servers answer in parts. */
function readContent(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((part) => (isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : []));
  return texts.length > 0 ? texts.join("\n") : null;
}
