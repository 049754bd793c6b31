import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { planHooks, removeHooks } from "../../wiring/hook-settings.ts";
import type { InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { markdownCommands } from "../../wiring/person-commands.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";
import { isTrue, readHostSettings, findSwitchedOffHooks } from "../../wiring/shadows.ts";
import { readTranscript } from "./transcript.ts";

export const droidSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (target) => [plan(target)],
  without: (text) => {
    const now = tryParseJson(text);
    return removeHooks(text, "droid", !(isRecord(now) && isRecord(now["hooks"])));
  },
  findings: (target) =>
    findSwitchedOffHooks(
      "Factory droid",
      [join(configFolder(target), "settings.json")],
      [{ key: "hooksDisabled", stops: isTrue }],
    ),
  transcripts: listTranscripts,
  isTranscript: (first) => first["type"] === "session_start" && "id" in first,
  readTranscript,
  mcp: jsonMcpConfig({
    path: (target) =>
      join(target.project === null ? configFolder(target) : join(target.project, ".factory"), "mcp.json"),
    at: ["mcpServers"],
    entry: (server) => ({ type: "stdio", ...server }),
  }),
  commands: (target) => markdownCommands(target, join(configFolder(target), "commands"), { argument: '"$ARGUMENTS"' }),
  rulesFiles: listAgentsFile,
  probe: ({ session, cwd }) => ({
    session_id: session,
    transcript_path: null,
    cwd,
    permission_mode: "off",
    hook_event_name: "PostToolUse",
    tool_name: "Execute",
    tool_input: { command: "echo hello", summary: "a self-test" },
    tool_response: "hello\n\n\n[Process exited with code 0]",
  }),
};

/** Without UserPromptSubmit: `droid exec` does not fire it, so all prompts come from the transcript. */
const events = ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

function plan(target: InstallTarget): PlannedFile {
  const folder = target.project === null ? configFolder(target) : join(target.project, ".factory");
  // In seconds.
  const hook = { type: "command", command: buildHookCommandLine(target), timeout: 5 };
  const path = join(folder, "hooks.json");
  // If hooks.json exists, droid ignores the hooks in its settings: the user's hooks would stop working.
  const settings = join(folder, "settings.json");
  if (!existsSync(path) && isRecord(readHostSettings(settings)["hooks"]))
    return planHooks({ host: "droid", path: settings, events, hook });
  return planHooks({ host: "droid", path, events, hook, isBare: true });
}

function configFolder(target: InstallTarget): string {
  return join(target.userHome, ".factory");
}

function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(configFolder(target), "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
