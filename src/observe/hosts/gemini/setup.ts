import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { planHooks, removeHooks } from "../../wiring/hook-settings.ts";
import type { CommandFile, InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { COMMAND_FILE_NOTE, type PersonCommand, personCommands } from "../../wiring/person-commands.ts";
import { isFalse, isTrue, includesName, findSwitchedOffHooks } from "../../wiring/shadows.ts";
import { readTranscript } from "./transcript.ts";

export const geminiSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) || isOnPath(target, "gemini") ? { version: null, folder } : null;
  },
  plan: (target) => [plan(target)],
  without: (text) => removeHooks(text, "gemini", false, true),
  findings: (target) => findSwitchedOffHooks("Gemini CLI", listSettingsFiles(target), switches),
  transcripts: listTranscripts,
  isTranscript: (first) => "projectHash" in first,
  readTranscript,
  mcp: jsonMcpConfig({ path: settingsFile, at: ["mcpServers"] }),
  commands: listCommandFiles,
  rulesFiles: () => [{ path: "GEMINI.md" }],
  probe: ({ session, cwd }) => ({
    session_id: session,
    transcript_path: "",
    cwd,
    hook_event_name: "AfterTool",
    timestamp: "2026-01-01T00:00:00.000Z",
    tool_name: "run_shell_command",
    tool_input: { command: "echo hello", description: "a self-test", is_background: false },
    tool_response: { llmContent: "Output: hello", returnDisplay: "hello" },
  }),
};

/** Without PreCompress, which fires before every request to the model, whether anything is compressed or not. */
const events = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"];

function plan(target: InstallTarget): PlannedFile {
  // In milliseconds.
  const hook = { name: "oldhand", type: "command", command: buildHookCommandLine(target), timeout: 5_000 };
  return planHooks({ host: "gemini", path: settingsFile(target), events, hook, hasComments: true });
}

function settingsFile(target: InstallTarget): string {
  return join(target.project === null ? configFolder(target) : join(target.project, ".gemini"), "settings.json");
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
  const folders = [configFolder(target), ...(near === undefined ? [] : [join(near, ".gemini")])];
  return [...new Set(folders.map((folder) => join(folder, "settings.json")))];
}

function configFolder(target: InstallTarget): string {
  return join(target.env["GEMINI_CLI_HOME"] || target.userHome, ".gemini");
}

/** Transcripts of sub-agents are in a folder named after the session. */
function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(configFolder(target), "tmp");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /[\\/]chats[\\/](?:session-[^\\/]*\.jsonl?|[^\\/]+[\\/][^\\/]+\.jsonl)$/.test(name))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}

/** The folder is the first part of a command's name. Gemini CLI asks its user before a command runs a program. */
function listCommandFiles(target: InstallTarget): readonly CommandFile[] {
  const dialect = { argument: "{{args}}", output: (command: string) => `!{${command}}` };
  return personCommands(target, dialect).map((command) => ({
    path: join(configFolder(target), "commands", "oldhand", `${command.name}.toml`),
    text: tomlText(command),
    typed: `/oldhand:${command.name}`,
  }));
}

function tomlText({ description, body }: PersonCommand): string {
  // A literal string is easier to read; JSON, which TOML accepts too, is used only if the body would end it.
  const prompt = body.includes("'''") ? JSON.stringify(body) : `'''\n${body}'''`;
  return `# ${COMMAND_FILE_NOTE}\ndescription = ${JSON.stringify(description)}\nprompt = ${prompt}\n`;
}
