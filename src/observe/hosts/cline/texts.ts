import { isRecord, stringOr, tryParse } from "../../../lib/json.ts";

export interface End {
  readonly ok: boolean;
  readonly text: string | null;
  readonly exitCode: number | null;
}

/**
 * A tool that does several things at once (commands, files) tells how each of them went, and Cline calls the whole a
 * success even so. Of one that failed in part, the part is told.
 */
export function endOf(output: unknown): End {
  const told = typeof output === "string" && output.startsWith("{") ? (tryParse(output) ?? output) : output;
  if (typeof told === "string") return { ok: true, text: told, exitCode: null };
  if (isRecord(told) && "error" in told) return { ok: false, text: errorText(told["error"]), exitCode: null };
  if (!Array.isArray(told)) return { ok: true, text: told === undefined ? null : JSON.stringify(told), exitCode: null };
  const parts = told.filter(isRecord);
  const failed = parts.filter((part) => part["success"] === false);
  const shown = (failed.length > 0 ? failed : parts).map(partText).filter((text) => text !== "");
  return {
    ok: failed.length === 0,
    text: shown.length === 0 ? null : shown.join("\n"),
    exitCode: failed.map(exitCodeOf).find((code) => code !== null) ?? null,
  };
}

function partText(part: Readonly<Record<string, unknown>>): string {
  return stringOr(part["result"], "") || stringOr(part["error"], "");
}

function exitCodeOf(part: Readonly<Record<string, unknown>>): number | null {
  const code = /^Command exited with code (-?\d{1,10})$/.exec(stringOr(part["error"], ""))?.[1];
  return code === undefined ? null : Number(code);
}

function errorText(error: unknown): string {
  return typeof error === "string" ? error : (JSON.stringify(error) ?? "");
}
