import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { buildHookCommandLine, isHookCommand } from "../../wiring/hook-command.ts";
import type { InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { readHostFileText } from "../../wiring/host-file.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";

export const kiroSetup: Setup = {
  detect: (target) => {
    const folder = join(target.userHome, ".kiro");
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (target) => [plan(target)],
  without,
  ...noTranscripts,
  mcp: jsonMcpConfig({
    path: (target) => join(target.project ?? target.userHome, ".kiro", "settings", "mcp.json"),
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

/**
 * Without SessionStart, which some versions fire with every prompt, and without PreToolUse, where Kiro ignores our
 * reply.
 */
const events = ["UserPromptSubmit", "PostToolUse", "Stop"];

/** Kiro's name for the event. */
const EVENT = "trigger";

/** A separate file: Kiro reads every file in the folder. */
function plan(target: InstallTarget): PlannedFile {
  const path = join(target.project ?? target.userHome, ".kiro", "hooks", "oldhand.json");
  const action = { type: "command", command: buildHookCommandLine(target) };
  // In seconds.
  const hooks = events.map((event) => ({ name: `oldhand ${event}`, [EVENT]: event, action, timeout: 5 }));
  return {
    path,
    before: readHostFileText(path),
    after: `${JSON.stringify({ version: "v1", hooks }, null, 2)}\n`,
    why: `hooks for ${events.join(", ")}`,
  };
}

/** For a file of ours that others have edited since. */
function without(text: string): string | null {
  const now = tryParseJson(text);
  if (!isRecord(now) || !Array.isArray(now["hooks"])) return null;
  return `${JSON.stringify({ ...now, hooks: now["hooks"].filter((hook) => !isOurs(hook)) }, null, 2)}\n`;
}

function isOurs(hook: unknown): boolean {
  const action = isRecord(hook) ? hook["action"] : null;
  return isRecord(action) && typeof action["command"] === "string" && isHookCommand(action["command"], "kiro");
}
