import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { OldhandError } from "../../../lib/errors.ts";
import { buildHookCommandLine, isHookCommand } from "../../wiring/hook-command.ts";
import type { InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { readHostFileText } from "../../wiring/host-file.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { markdownCommands } from "../../wiring/person-commands.ts";
import { readTranscript } from "./transcript.ts";

export const clineSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (target) => events.map((event) => plan(target, event)),
  without: removeOurLines,
  transcripts: listTranscripts,
  readTranscript,
  mcp: jsonMcpConfig({
    path: (target) =>
      target.project === null ? join(configFolder(target), "data", "settings", "cline_mcp_settings.json") : null,
    at: ["mcpServers"],
  }),
  commands: (target) => markdownCommands(target, join(configFolder(target), "workflows"), { hasHead: false }),
  rulesFiles: (workspace) => [
    { path: isFile(join(workspace, ".clinerules")) ? ".clinerules" : ".clinerules/oldhand.md" },
  ],
  probe: ({ session, cwd }) => ({
    taskId: session,
    sessionContext: { rootSessionId: session },
    workspaceRoots: [cwd],
    agent_id: "agent_1",
    parent_agent_id: null,
    hookName: "tool_result",
    tool_result: {
      id: `call_${session}`,
      name: "run_commands",
      input: { commands: ["echo hello"] },
      output: [{ query: "echo hello", result: "hello\n", success: true }],
      durationMs: 1,
    },
  }),
};

/**
 * Without UserPromptSubmit: it does not fire for a prompt given on the command line, so all prompts come from the
 * transcript.
 */
const events = ["TaskStart", "PreToolUse", "PostToolUse", "TaskComplete", "TaskError", "TaskCancel", "SessionShutdown"];

/**
 * One script per event. Its extension decides how it is run, and each extension is a separate hook of the same event.
 */
function plan(target: InstallTarget, event: string): PlannedFile {
  const folder = target.project === null ? configFolder(target) : join(target.project, ".cline");
  const paths = listEndings(target).map((ending) => join(folder, "hooks", `${event}${ending}`));
  const path = paths.find((one) => isFree(one));
  if (path === undefined)
    throw new OldhandError("input", `every file name for a ${event} hook is in use: ${paths.join(", ")}`, {
      hint: "rename one of them, then install again; nothing was changed",
    });
  return {
    path,
    before: readHostFileText(path),
    after: renderScript(target),
    why: `a hook for ${event}`,
  };
}

/** The first one that is free is used; people usually write `.sh`, `.js` or no extension. */
function listEndings(target: InstallTarget): readonly string[] {
  return target.platform === "win32" && target.team !== true ? [".cjs", ".js"] : [".bash", ".zsh", ".sh"];
}

function renderScript(target: InstallTarget): string {
  if (target.team === true) return `# ${NOTE}\n${buildHookCommandLine(target)}\n`;
  if (target.platform !== "win32") return `# ${NOTE}\nexec ${buildHookCommandLine(target)}\n`;
  // Cline already runs it with Node; starting a second one would double the time.
  const words = target.command.slice(1).map((word) => JSON.stringify(word));
  return `process.argv.splice(1, process.argv.length, ${words.join(", ")}); require(process.argv[1]); // ${NOTE}\n`;
}

/** Identifies our scripts, also those of versions with another wording after it. */
const MARK = "Written by oldhand; `oldhand uninstall cline`";
const NOTE = `${MARK} removes it.`;

function isFree(path: string): boolean {
  const text = readHostFileText(path);
  return text === null || isOurs(text);
}

function isOurs(text: string): boolean {
  return text.includes(MARK) || text.split("\n").some((line) => isHookCommand(line, "cline"));
}

/** For a script of ours that others have edited since. */
function removeOurLines(text: string): string {
  return text
    .split("\n")
    .filter((line) => !line.includes(MARK) && !isHookCommand(line, "cline"))
    .join("\n");
}

function configFolder(target: InstallTarget): string {
  return join(target.userHome, ".cline");
}

/** In older versions the rules were one file; now they are a folder. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(configFolder(target), "data", "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .map((session) => join(root, session, `${session}.messages.json`))
    .filter((file) => existsSync(file))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
