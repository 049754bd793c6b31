import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";

export interface HermesCallEnd {
  readonly ok: boolean;
  readonly text: string;
  readonly exitCode: number | null;
}

/** A tool's result is JSON, with an error if it failed, and for a command with its exit code. */
export function parseHermesCallEnd(content: string): HermesCallEnd {
  const reply = tryParseJson(content);
  if (!isRecord(reply)) return { ok: true, text: content, exitCode: null };
  const code = reply["exit_code"];
  const exitCode = typeof code === "number" ? code : null;
  const error = stringOr(reply["error"], "");
  const ok = error === "" && (exitCode ?? 0) === 0;
  const output = stringOr(reply["output"], "");
  return { ok, exitCode, text: [output, error].filter((part) => part !== "").join("\n") || content };
}
