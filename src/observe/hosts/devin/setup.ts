import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParse } from "../../../lib/json.ts";
import { hookCommand } from "../../wiring/hook-command.ts";
import { planHooks, withoutHooks } from "../../wiring/hook-settings.ts";
import type { Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";
import { agentsFile } from "../../wiring/rules-files.ts";

export const devinSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without: (text) => {
    const now = tryParse(text);
    return withoutHooks(text, "devin", !(isRecord(now) && isRecord(now["hooks"])));
  },
  ...noTranscripts,
  mcp: jsonMcp({
    // In a repository the settings that are nobody else's: those that are shared would name a path of this machine.
    path: (place) =>
      place.project === null
        ? join(configFolder(place), "config.json")
        : join(place.project, ".devin", "config.local.json"),
    at: ["mcpServers"],
  }),
  rulesFiles: agentsFile,
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

/** In a repository a file of hooks and nothing else; for its user, among all other settings. */
function plan(place: Place): PlannedFile {
  // In seconds.
  const hook = { type: "command", command: hookCommand(place), timeout: 5 };
  return place.project === null
    ? planHooks({ host: "devin", path: join(configFolder(place), "config.json"), events, hook })
    : planHooks({ host: "devin", path: join(place.project, ".devin", "hooks.v1.json"), events, hook, isBare: true });
}

function configFolder(place: Place): string {
  const { env } = place;
  const root =
    place.platform === "win32"
      ? env["APPDATA"] || join(place.userHome, "AppData", "Roaming")
      : env["XDG_CONFIG_HOME"] || join(place.userHome, ".config");
  return join(root, "devin");
}
