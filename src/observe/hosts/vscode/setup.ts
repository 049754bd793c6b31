import { existsSync } from "node:fs";
import { join } from "node:path";
import { hookCommand } from "../../hook-command.ts";
import { planHooks, withoutHooks } from "../../hook-settings.ts";
import type { Found, Place, Setup } from "../../host.ts";
import { noTranscripts } from "../../no-transcripts.ts";

export const vscodeSetup: Setup = {
  find,
  plan: (place) => [
    planHooks({
      host: "vscode",
      path: join(hooksFolder(place), "oldhand-vscode.json"),
      events,
      // In seconds.
      hook: { type: "command", command: hookCommand(place), timeout: 5 },
      isFlat: true,
      base: { version: 1 },
    }),
  ],
  without: (text) => withoutHooks(text, "vscode"),
  ...noTranscripts,
  probe: ({ session, cwd }) => ({
    timestamp: "2026-01-01T00:00:00.000Z",
    cwd,
    session_id: session,
    hook_event_name: "PostToolUse",
    tool_name: "run_in_terminal",
    tool_input: { command: "echo hello" },
    tool_response: "hello",
    tool_use_id: `call_${session}`,
  }),
};

const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"] as const;

/** A file of our own in the folder that it shares with Copilot CLI. */
function hooksFolder(place: Place): string {
  return place.project === null ? join(place.userHome, ".copilot", "hooks") : join(place.project, ".github", "hooks");
}

function find(place: Place): Found | null {
  const { env, platform, userHome } = place;
  const folder =
    platform === "win32"
      ? join(env["APPDATA"] || join(userHome, "AppData", "Roaming"), "Code")
      : platform === "darwin"
        ? join(userHome, "Library", "Application Support", "Code")
        : join(env["XDG_CONFIG_HOME"] || join(userHome, ".config"), "Code");
  return existsSync(folder) ? { version: null, folder } : null;
}
