/**
 * Other hosts run the hooks in `.claude/settings.json` too, with payloads much like Claude Code's. They have hooks of
 * their own, so these would be told twice, and once under a wrong name. Each leaves a mark in the environment, and so
 * does a host in whose shell Claude Code itself was started: then only where the session is written down tells.
 */
export function isForeignPayload(
  payload: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const path = payload["transcript_path"];
  // VS Code leaves none, but tells the time, which Claude Code does not.
  const isMarked = foreignVariables.some((name) => env[name]) || (typeof path === "string" && "timestamp" in payload);
  return isMarked && (typeof path !== "string" || !ownTranscript.test(path));
}

/** Of Copilot CLI, Cursor, Gemini CLI, Qwen Code and Factory's droid. `CLAUDE_PROJECT_DIR` is set by most of them. */
const foreignVariables = [
  "COPILOT_CLI",
  "CURSOR_VERSION",
  "GEMINI_SESSION_ID",
  "QWEN_CODE_SESSION_ID",
  "FACTORY_PROJECT_DIR",
];

const ownTranscript = /[\\/]projects[\\/][^\\/]+[\\/][^\\/]+\.jsonl$/;
