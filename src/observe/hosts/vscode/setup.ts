import { existsSync } from "node:fs";
import { join } from "node:path";
import { hookCommand } from "../../wiring/hook-command.ts";
import { planHooks, withoutHooks } from "../../wiring/hook-settings.ts";
import type { Found, Place, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

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
  mcp: jsonMcp({
    path: (place) =>
      place.project === null
        ? join(configFolder(place), "User", "mcp.json")
        : join(place.project, ".vscode", "mcp.json"),
    at: ["servers"],
    entry: (server) => ({ type: "stdio", ...server }),
  }),
  rulesFiles: () => [{ path: ".github/copilot-instructions.md" }],
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
  const folder = configFolder(place);
  return existsSync(folder) ? { version: null, folder } : null;
}

function configFolder({ env, platform, userHome }: Place): string {
  if (platform === "win32") return join(env["APPDATA"] || join(userHome, "AppData", "Roaming"), "Code");
  if (platform === "darwin") return join(userHome, "Library", "Application Support", "Code");
  return join(env["XDG_CONFIG_HOME"] || join(userHome, ".config"), "Code");
}
