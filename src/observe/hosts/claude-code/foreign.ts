/**
 * True if another host sent this payload. Other hosts also run the hooks in `.claude/settings.json`, with similar
 * payloads. They have their own hooks, so the event would be reported twice, once under the wrong host. Each sets a
 * variable in the environment; but Claude Code started in such a host's shell inherits it, so the transcript's path
 * decides.
 */
export function isForeignPayload(
  payload: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const path = payload["transcript_path"];
  // VS Code sets no variable, but sends a timestamp, which Claude Code does not.
  const isMarked = foreignVariables.some((name) => env[name]) || (typeof path === "string" && "timestamp" in payload);
  return isMarked && (typeof path !== "string" || !ownTranscript.test(path));
}

/** Set by Copilot CLI, Cursor, Gemini CLI, Qwen Code and Factory's droid. Most of them set `CLAUDE_PROJECT_DIR` too. */
const foreignVariables = [
  "COPILOT_CLI",
  "CURSOR_VERSION",
  "GEMINI_SESSION_ID",
  "QWEN_CODE_SESSION_ID",
  "FACTORY_PROJECT_DIR",
];

const ownTranscript = /[\\/]projects[\\/][^\\/]+[\\/][^\\/]+\.jsonl$/;
