import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";

export interface ClineCallResult {
  readonly ok: boolean;
  readonly text: string | null;
  readonly exitCode: number | null;
}

/**
 * A tool that does several things at once (commands, files) reports the result of each, but Cline calls the whole a
 * success. If some failed, the call counts as failed, with their texts only.
 */
export function parseToolOutput(output: unknown): ClineCallResult {
  const parsed = typeof output === "string" && output.startsWith("{") ? (tryParseJson(output) ?? output) : output;
  if (typeof parsed === "string") return { ok: true, text: parsed, exitCode: null };
  if (isRecord(parsed) && "error" in parsed) return { ok: false, text: formatError(parsed["error"]), exitCode: null };
  if (!Array.isArray(parsed))
    return { ok: true, text: parsed === undefined ? null : JSON.stringify(parsed), exitCode: null };
  const parts = parsed.filter(isRecord);
  const failed = parts.filter((part) => part["success"] === false);
  const shown = (failed.length > 0 ? failed : parts).map(formatPart).filter((text) => text !== "");
  return {
    ok: failed.length === 0,
    text: shown.length === 0 ? null : shown.join("\n"),
    exitCode: failed.map(readExitCode).find((code) => code !== null) ?? null,
  };
}

function formatPart(part: Readonly<Record<string, unknown>>): string {
  return stringOr(part["result"], "") || stringOr(part["error"], "");
}

function readExitCode(part: Readonly<Record<string, unknown>>): number | null {
  const code = /^Command exited with code (-?\d{1,10})$/.exec(stringOr(part["error"], ""))?.[1];
  return code === undefined ? null : Number(code);
}

function formatError(error: unknown): string {
  return typeof error === "string" ? error : (JSON.stringify(error) ?? "");
}
