import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { planHooks, removeHooks } from "../../wiring/hook-settings.ts";
import type { InstallTarget, Setup } from "../../protocol/host.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const windsurfSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (target) => [
    planHooks({
      host: "windsurf",
      path: join(target.project === null ? configFolder(target) : join(target.project, ".windsurf"), "hooks.json"),
      events,
      hook: { command: buildHookCommandLine(target), show_output: false },
      isFlat: true,
    }),
  ],
  without: (text) => removeHooks(text, "windsurf"),
  ...noTranscripts,
  mcp: jsonMcpConfig({
    path: (target) => (target.project === null ? join(configFolder(target), "mcp_config.json") : null),
    at: ["mcpServers"],
  }),
  rulesFiles: () => [{ path: ".windsurf/rules/oldhand.md", head: "---\ntrigger: always_on\n---\n\n" }],
  probe: ({ session, cwd }) => ({
    trajectory_id: session,
    execution_id: session,
    agent_action_name: "post_run_command",
    tool_info: { command_line: "echo hello", cwd },
  }),
};

/** Without the events before a call, which can only block it. */
const events = [
  "pre_user_prompt",
  "post_run_command",
  "post_write_code",
  "post_read_code",
  "post_mcp_tool_use",
  "post_cascade_response",
] as const;

function configFolder(target: InstallTarget): string {
  return join(target.userHome, ".codeium", "windsurf");
}
