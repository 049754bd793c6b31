import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParse } from "../../../lib/json.ts";
import { hookCommand, isHookCommand } from "../../wiring/hook-command.ts";
import type { Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { hostText } from "../../wiring/host-file.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const kiroSetup: Setup = {
  find: (place) => {
    const folder = join(place.userHome, ".kiro");
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without,
  ...noTranscripts,
  mcp: jsonMcp({
    path: (place) => join(place.project ?? place.userHome, ".kiro", "settings", "mcp.json"),
    at: ["mcpServers"],
  }),
  rulesFiles: () => [{ path: ".kiro/steering/oldhand.md", head: "---\ninclusion: always\n---\n\n" }],
  probe: ({ session, cwd }) => ({
    session_id: session,
    cwd,
    hook_event_name: "PostToolUse",
    tool_name: "execute_bash",
    tool_input: { command: "echo hello" },
    tool_response: { success: true, result: [{ exit_status: "0", stdout: "hello", stderr: "" }] },
  }),
};

/** Without SessionStart, which some versions fire with every prompt, and without PreToolUse, where nothing we say is heard. */
const events = ["UserPromptSubmit", "PostToolUse", "Stop"];

/** Kiro's word for it. */
const EVENT = "trigger";

/** A file of our own: Kiro reads every one in the folder. */
function plan(place: Place): PlannedFile {
  const path = join(place.project ?? place.userHome, ".kiro", "hooks", "oldhand.json");
  const action = { type: "command", command: hookCommand(place) };
  // In seconds.
  const hooks = events.map((event) => ({ name: `oldhand ${event}`, [EVENT]: event, action, timeout: 5 }));
  return {
    path,
    before: hostText(path),
    after: `${JSON.stringify({ version: "v1", hooks }, null, 2)}\n`,
    why: `hooks for ${events.join(", ")}`,
  };
}

/** For a file of ours that others wrote to since. */
function without(text: string): string | null {
  const now = tryParse(text);
  if (!isRecord(now) || !Array.isArray(now["hooks"])) return null;
  return `${JSON.stringify({ ...now, hooks: now["hooks"].filter((hook) => !isOurs(hook)) }, null, 2)}\n`;
}

function isOurs(hook: unknown): boolean {
  const action = isRecord(hook) ? hook["action"] : null;
  return isRecord(action) && typeof action["command"] === "string" && isHookCommand(action["command"], "kiro");
}
