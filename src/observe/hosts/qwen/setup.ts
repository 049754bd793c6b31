import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { planHooks, removeHooks } from "../../wiring/hook-settings.ts";
import type { CommandFile, InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { formatMarkdownCommand, personCommands } from "../../wiring/person-commands.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";
import { isFalse, isTrue, includesName, findSwitchedOffHooks } from "../../wiring/shadows.ts";
import { readTranscript } from "./transcript.ts";

export const qwenSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) || isOnPath(target, "qwen") ? { version: null, folder } : null;
  },
  plan: (target) => [plan(target)],
  without: (text) => removeHooks(text, "qwen", false, true),
  findings: (target) => findSwitchedOffHooks("Qwen Code", listSettingsFiles(target), switches),
  transcripts: listTranscripts,
  isTranscript: (first) => "uuid" in first && isRecord(first["message"]) && "parts" in first["message"],
  readTranscript,
  mcp: jsonMcpConfig({ path: settingsFile, at: ["mcpServers"] }),
  commands: listCommandFiles,
  rulesFiles: listAgentsFile,
  probe: ({ session, cwd }) => ({
    session_id: session,
    transcript_path: "",
    cwd,
    hook_event_name: "PostToolUse",
    timestamp: "2026-01-01T00:00:00.000Z",
    permission_mode: "default",
    tool_name: "run_shell_command",
    tool_input: { command: "echo hello", description: "a self-test", is_background: false },
    tool_response: { llmContent: "Output: hello\nExit Code: 0", returnDisplay: "hello" },
    tool_use_id: `toolu_${session}`,
  }),
};

const events = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "SessionEnd",
];

function plan(target: InstallTarget): PlannedFile {
  // Read as milliseconds by every version: older ones read all values so, newer ones those from 1,000.
  const hook = { name: "oldhand", type: "command", command: buildHookCommandLine(target), timeout: 5_000 };
  return planHooks({ host: "qwen", path: settingsFile(target), events, hook, hasComments: true });
}

function settingsFile(target: InstallTarget): string {
  return join(target.project === null ? configFolder(target) : join(target.project, ".qwen"), "settings.json");
}

const switches = [
  { key: "disableAllHooks", stops: isTrue },
  { key: "hooksConfig.enabled", stops: isFalse },
  { key: "hooksConfig.disabled", stops: includesName("oldhand") },
  { key: "hooks.disabled", stops: includesName("oldhand") },
];

/** The user's settings, and those of the current folder, which override them. */
function listSettingsFiles(target: InstallTarget): readonly string[] {
  const near = target.project ?? target.near;
  const folders = [configFolder(target), ...(near === undefined ? [] : [join(near, ".qwen")])];
  return [...new Set(folders.map((folder) => join(folder, "settings.json")))];
}

function configFolder(target: InstallTarget): string {
  return target.env["QWEN_HOME"] || join(target.userHome, ".qwen");
}

function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(target.env["QWEN_RUNTIME_DIR"] || configFolder(target), "projects");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /[\\/]chats[\\/][^\\/]+\.jsonl$/.test(name))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}

/** The folder is the first part of a command's name. By default the model may call them itself, so that is disabled. */
function listCommandFiles(target: InstallTarget): readonly CommandFile[] {
  const dialect = { argument: "{{args}}", output: (command: string) => `!{${command}}` };
  return personCommands(target, dialect).map((command) => ({
    path: join(configFolder(target), "commands", "oldhand", `${command.name}.md`),
    text: formatMarkdownCommand(command, ["disable-model-invocation: true"]),
    typed: `/oldhand:${command.name}`,
  }));
}
