import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { planHooks, removeHooks } from "../../wiring/hook-settings.ts";
import type { InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";

export const devinSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (target) => [plan(target)],
  without: (text) => {
    const now = tryParseJson(text);
    return removeHooks(text, "devin", !(isRecord(now) && isRecord(now["hooks"])));
  },
  ...noTranscripts,
  mcp: jsonMcpConfig({
    // In a repository, the user's local settings: shared ones would contain a path of this machine.
    path: (target) =>
      target.project === null
        ? join(configFolder(target), "config.json")
        : join(target.project, ".devin", "config.local.json"),
    at: ["mcpServers"],
  }),
  rulesFiles: listAgentsFile,
  probe: ({ session, cwd }) => ({
    session_id: session,
    cwd,
    transcript_path: null,
    hook_event_name: "PostToolUse",
    tool_name: "exec",
    tool_input: { command: "echo hello" },
    tool_use_id: `call_${session}`,
    tool_response: { success: true, output: "hello" },
  }),
};

const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"] as const;

/** In a repository, a file with hooks only; for the user, the hooks are part of the settings. */
function plan(target: InstallTarget): PlannedFile {
  // In seconds.
  const hook = { type: "command", command: buildHookCommandLine(target), timeout: 5 };
  return target.project === null
    ? planHooks({ host: "devin", path: join(configFolder(target), "config.json"), events, hook })
    : planHooks({ host: "devin", path: join(target.project, ".devin", "hooks.v1.json"), events, hook, isBare: true });
}

function configFolder(target: InstallTarget): string {
  const { env } = target;
  const root =
    target.platform === "win32"
      ? env["APPDATA"] || join(target.userHome, "AppData", "Roaming")
      : env["XDG_CONFIG_HOME"] || join(target.userHome, ".config");
  return join(root, "devin");
}
