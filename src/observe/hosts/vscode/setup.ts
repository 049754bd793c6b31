import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { planHooks, removeHooks } from "../../wiring/hook-settings.ts";
import type { DetectedHost, InstallTarget, Setup } from "../../protocol/host.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const vscodeSetup: Setup = {
  detect,
  plan: (target) => [
    planHooks({
      host: "vscode",
      path: join(hooksFolder(target), "oldhand-vscode.json"),
      events,
      // In seconds.
      hook: { type: "command", command: buildHookCommandLine(target), timeout: 5 },
      isFlat: true,
      base: { version: 1 },
    }),
  ],
  without: (text) => removeHooks(text, "vscode"),
  ...noTranscripts,
  mcp: jsonMcpConfig({
    path: (target) =>
      target.project === null
        ? join(configFolder(target), "User", "mcp.json")
        : join(target.project, ".vscode", "mcp.json"),
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

/** The folder is shared with Copilot CLI, so ours is a separate file. */
function hooksFolder(target: InstallTarget): string {
  return target.project === null
    ? join(target.userHome, ".copilot", "hooks")
    : join(target.project, ".github", "hooks");
}

function detect(target: InstallTarget): DetectedHost | null {
  const folder = configFolder(target);
  return existsSync(folder) ? { version: null, folder } : null;
}

function configFolder({ env, platform, userHome }: InstallTarget): string {
  if (platform === "win32") return join(env["APPDATA"] || join(userHome, "AppData", "Roaming"), "Code");
  if (platform === "darwin") return join(userHome, "Library", "Application Support", "Code");
  return join(env["XDG_CONFIG_HOME"] || join(userHome, ".config"), "Code");
}
