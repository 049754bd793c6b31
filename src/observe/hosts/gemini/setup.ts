import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hookCommand } from "../../wiring/hook-command.ts";
import { planHooks, withoutHooks } from "../../wiring/hook-settings.ts";
import type { CommandFile, Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { isOnPath } from "../../wiring/on-path.ts";
import { NOTE, type PersonCommand, personCommands } from "../../wiring/person-commands.ts";
import { isFalse, isTrue, names, switchedOff } from "../../wiring/shadows.ts";
import { readTranscript } from "./transcript.ts";

export const geminiSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) || isOnPath(place, "gemini") ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without: (text) => withoutHooks(text, "gemini", false, true),
  findings: (place) => switchedOff("Gemini CLI", settingsFiles(place), switches),
  transcripts,
  isTranscript: (first) => "projectHash" in first,
  readTranscript,
  mcp: jsonMcp({ path: settingsFile, at: ["mcpServers"] }),
  commands,
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

function plan(place: Place): PlannedFile {
  // In milliseconds.
  const hook = { name: "oldhand", type: "command", command: hookCommand(place), timeout: 5_000 };
  return planHooks({ host: "gemini", path: settingsFile(place), events, hook, hasComments: true });
}

function settingsFile(place: Place): string {
  return join(place.project === null ? configFolder(place) : join(place.project, ".gemini"), "settings.json");
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
  const folders = [configFolder(place), ...(near === undefined ? [] : [join(near, ".gemini")])];
  return [...new Set(folders.map((folder) => join(folder, "settings.json")))];
}

function configFolder(place: Place): string {
  return join(place.env["GEMINI_CLI_HOME"] || place.userHome, ".gemini");
}

/** Sub-agents have theirs in a folder that is named after the session. */
function transcripts(place: Place): readonly string[] {
  const root = join(configFolder(place), "tmp");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /[\\/]chats[\\/](?:session-[^\\/]*\.jsonl?|[^\\/]+[\\/][^\\/]+\.jsonl)$/.test(name))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}

/** A folder is the first half of a command's name. It asks its user before it runs a program for one. */
function commands(place: Place): readonly CommandFile[] {
  const dialect = { argument: "{{args}}", output: (command: string) => `!{${command}}` };
  return personCommands(place, dialect).map((command) => ({
    path: join(configFolder(place), "commands", "oldhand", `${command.name}.toml`),
    text: tomlText(command),
    typed: `/oldhand:${command.name}`,
  }));
}

function tomlText({ description, body }: PersonCommand): string {
  // As it stands, for a person to read; only what would end it is written as JSON, which TOML reads too.
  const prompt = body.includes("'''") ? JSON.stringify(body) : `'''\n${body}'''`;
  return `# ${NOTE}\ndescription = ${JSON.stringify(description)}\nprompt = ${prompt}\n`;
}
