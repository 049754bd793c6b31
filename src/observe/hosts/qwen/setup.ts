import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { hookCommand } from "../../wiring/hook-command.ts";
import { planHooks, withoutHooks } from "../../wiring/hook-settings.ts";
import type { CommandFile, Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { markdownText, personCommands } from "../../wiring/person-commands.ts";
import { agentsFile } from "../../wiring/rules-files.ts";
import { isFalse, isTrue, names, switchedOff } from "../../wiring/shadows.ts";
import { readTranscript } from "./transcript.ts";

export const qwenSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) || isOnPath(place, "qwen") ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without: (text) => withoutHooks(text, "qwen", false, true),
  findings: (place) => switchedOff("Qwen Code", settingsFiles(place), switches),
  transcripts,
  isTranscript: (first) => "uuid" in first && isRecord(first["message"]) && "parts" in first["message"],
  readTranscript,
  mcp: jsonMcp({ path: settingsFile, at: ["mcpServers"] }),
  commands,
  rulesFiles: agentsFile,
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

function plan(place: Place): PlannedFile {
  // Milliseconds to every version: once they all were, and now those from 1,000 on are.
  const hook = { name: "oldhand", type: "command", command: hookCommand(place), timeout: 5_000 };
  return planHooks({ host: "qwen", path: settingsFile(place), events, hook, hasComments: true });
}

function settingsFile(place: Place): string {
  return join(place.project === null ? configFolder(place) : join(place.project, ".qwen"), "settings.json");
}

const switches = [
  { key: "disableAllHooks", stops: isTrue },
  { key: "hooksConfig.enabled", stops: isFalse },
  { key: "hooksConfig.disabled", stops: names("oldhand") },
  { key: "hooks.disabled", stops: names("oldhand") },
];

/** The user's, and above them those of the folder somebody works in. */
function settingsFiles(place: Place): readonly string[] {
  const near = place.project ?? place.near;
  const folders = [configFolder(place), ...(near === undefined ? [] : [join(near, ".qwen")])];
  return [...new Set(folders.map((folder) => join(folder, "settings.json")))];
}

function configFolder(place: Place): string {
  return place.env["QWEN_HOME"] || join(place.userHome, ".qwen");
}

function transcripts(place: Place): readonly string[] {
  const root = join(place.env["QWEN_RUNTIME_DIR"] || configFolder(place), "projects");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /[\\/]chats[\\/][^\\/]+\.jsonl$/.test(name))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}

/** A folder is the first half of a command's name. Unless told otherwise, its model may call them by itself. */
function commands(place: Place): readonly CommandFile[] {
  const dialect = { argument: "{{args}}", output: (command: string) => `!{${command}}` };
  return personCommands(place, dialect).map((command) => ({
    path: join(configFolder(place), "commands", "oldhand", `${command.name}.md`),
    text: markdownText(command, ["disable-model-invocation: true"]),
    typed: `/oldhand:${command.name}`,
  }));
}
