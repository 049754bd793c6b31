import { isRecord, stringOr, tryParseJson } from "../../../lib/json.ts";

export interface HermesCallEnd {
  readonly ok: boolean;
  readonly text: string;
  readonly exitCode: number | null;
}

/** A tool's result is JSON, with an error if it failed, and for a command with its exit code. */
export function parseHermesCallEnd(content: string): HermesCallEnd {
  const answer = tryParseJson(content);
  if (!isRecord(answer)) return { ok: true, text: content, exitCode: null };
  const code = answer["exit_code"];
  const exitCode = typeof code === "number" ? code : null;
  const error = stringOr(answer["error"], "");
  const ok = error === "" && (exitCode ?? 0) === 0;
  const output = stringOr(answer["output"], "");
  return { ok, exitCode, text: [output, error].filter((part) => part !== "").join("\n") || content };
}
