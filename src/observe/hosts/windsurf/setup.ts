import { existsSync } from "node:fs";
import { join } from "node:path";
import { hookCommand } from "../../wiring/hook-command.ts";
import { planHooks, withoutHooks } from "../../wiring/hook-settings.ts";
import type { Place, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const windsurfSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (place) => [
    planHooks({
      host: "windsurf",
      path: join(place.project === null ? configFolder(place) : join(place.project, ".windsurf"), "hooks.json"),
      events,
      hook: { command: hookCommand(place), show_output: false },
      isFlat: true,
    }),
  ],
  without: (text) => withoutHooks(text, "windsurf"),
  ...noTranscripts,
  mcp: jsonMcp({
    path: (place) => (place.project === null ? join(configFolder(place), "mcp_config.json") : null),
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

/** Without those before a call: they can only be blocked. */
const events = [
  "pre_user_prompt",
  "post_run_command",
  "post_write_code",
  "post_read_code",
  "post_mcp_tool_use",
  "post_cascade_response",
] as const;

function configFolder(place: Place): string {
  return join(place.userHome, ".codeium", "windsurf");
}
