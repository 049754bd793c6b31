import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { planHooks, removeHooks } from "../../wiring/hook-settings.ts";
import type { InstallTarget, Setup } from "../../protocol/host.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const cursorSetup: Setup = {
  detect: (target) => {
    const folder = join(target.userHome, ".cursor");
    return existsSync(folder) || isOnPath(target, "cursor-agent") ? { version: null, folder } : null;
  },
  plan: (target) => [
    planHooks({
      host: "cursor",
      path: hooksFile(target),
      events,
      // In seconds.
      hook: { command: buildHookCommandLine(target), timeout: 5 },
      isFlat: true,
      base: { version: 1 },
    }),
  ],
  without: (text) => removeHooks(text, "cursor"),
  ...noTranscripts,
  mcp: jsonMcpConfig({
    path: (target) => join(target.project ?? target.userHome, ".cursor", "mcp.json"),
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

/** Cursor's name for the session. */
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

function hooksFile(target: InstallTarget): string {
  return join(target.project ?? target.userHome, ".cursor", "hooks.json");
}
