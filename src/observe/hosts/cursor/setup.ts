import { existsSync } from "node:fs";
import { join } from "node:path";
import { hookCommand } from "../../wiring/hook-command.ts";
import { planHooks, withoutHooks } from "../../wiring/hook-settings.ts";
import type { Place, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const cursorSetup: Setup = {
  find: (place) => {
    const folder = join(place.userHome, ".cursor");
    return existsSync(folder) || isOnPath(place, "cursor-agent") ? { version: null, folder } : null;
  },
  plan: (place) => [
    planHooks({
      host: "cursor",
      path: hooksFile(place),
      events,
      // In seconds.
      hook: { command: hookCommand(place), timeout: 5 },
      isFlat: true,
      base: { version: 1 },
    }),
  ],
  without: (text) => withoutHooks(text, "cursor"),
  ...noTranscripts,
  mcp: jsonMcp({
    path: (place) => join(place.project ?? place.userHome, ".cursor", "mcp.json"),
    at: ["mcpServers"],
  }),
  rulesFiles: () => [
    { path: ".cursor/rules/oldhand.mdc", head: "---\ndescription: Rules learned here\nalwaysApply: true\n---\n\n" },
  ],
  probe: ({ session, cwd }) => ({
    [SESSION]: session,
    session_id: session,
    workspace_roots: [cwd],
    transcript_path: null,
    hook_event_name: "postToolUse",
    tool_name: "Shell",
    tool_input: { command: "echo hello" },
    tool_output: '{"exitCode":0,"stdout":"hello"}',
    tool_use_id: `call_${session}`,
  }),
};

/** Cursor's word for it. */
const SESSION = "conversation_id";

const events = [
  "sessionStart",
  "beforeSubmitPrompt",
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "stop",
  "sessionEnd",
] as const;

function hooksFile(place: Place): string {
  return join(place.project ?? place.userHome, ".cursor", "hooks.json");
}
