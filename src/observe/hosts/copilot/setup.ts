import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { buildHookCommandLine, isHookCommand } from "../../wiring/hook-command.ts";
import type { InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { readHostFileText } from "../../wiring/host-file.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { skillCommands } from "../../wiring/person-commands.ts";
import { isTrue, findSwitchedOffHooks } from "../../wiring/shadows.ts";
import { readTranscript } from "./transcript.ts";

export const copilotSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (target) => [plan(target)],
  without,
  findings: (target) =>
    findSwitchedOffHooks("Copilot CLI", listSettingsFiles(target), [{ key: "disableAllHooks", stops: isTrue }]),
  transcripts: listTranscripts,
  isTranscript: (first) => first["type"] === "session.start" && isRecord(first["data"]),
  readTranscript,
  mcp: jsonMcpConfig({
    path: (target) => (target.project === null ? join(configFolder(target), "mcp-config.json") : null),
    at: ["mcpServers"],
    entry: (server) => ({ type: "local", ...server, tools: ["*"] }),
  }),
  commands: (target) =>
    skillCommands(target, join(configFolder(target), "skills"), {
      argument: '"$ARGUMENTS"',
      sign: "/",
      // Only the user may call them.
      head: ["disable-model-invocation: true"],
    }),
  rulesFiles: () => [{ path: ".github/copilot-instructions.md" }],
  // A prompt, because a call that is missing from Copilot's transcript is not stored from the hook.
  probe: ({ session, cwd }) => ({ sessionId: session, timestamp: 1_767_225_600_000, cwd, prompt: "a self-test" }),
};

const events = [
  "sessionStart",
  "userPromptSubmitted",
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "agentStop",
  "sessionEnd",
];

/** A separate file: Copilot reads every file in the folder. */
function plan(target: InstallTarget): PlannedFile {
  const folder =
    target.project === null ? join(configFolder(target), "hooks") : join(target.project, ".github", "hooks");
  const path = join(folder, "oldhand.json");
  const command = buildHookCommandLine(target);
  const run = target.platform === "win32" && target.team !== true ? { powershell: `& ${command}` } : { bash: command };
  const hook = { type: "command", ...run, timeoutSec: 5 };
  const hooks = Object.fromEntries(events.map((event) => [event, [hook]]));
  return {
    path,
    before: readHostFileText(path),
    after: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`,
    why: `hooks for ${events.join(", ")}`,
  };
}

/** For a file of ours that others have edited since. */
function without(text: string): string | null {
  const now = tryParseJson(text);
  if (!isRecord(now) || !isRecord(now["hooks"])) return null;
  const kept = Object.entries(now["hooks"]).flatMap(([event, hooks]) => {
    const theirs = Array.isArray(hooks) ? hooks.filter((hook) => !isOurs(hook)) : [];
    return theirs.length > 0 ? [[event, theirs] as const] : [];
  });
  return `${JSON.stringify({ ...now, hooks: Object.fromEntries(kept) }, null, 2)}\n`;
}

function isOurs(hook: unknown): boolean {
  return (
    isRecord(hook) &&
    [hook["bash"], hook["powershell"]].some((line) => typeof line === "string" && isHookCommand(line, "copilot"))
  );
}

function listSettingsFiles(target: InstallTarget): readonly string[] {
  const near = target.project ?? target.near;
  const own = ["settings.json", "config.json"].map((name) => join(configFolder(target), name));
  return near === undefined ? own : [...own, join(near, ".github", "copilot", "settings.json")];
}

function configFolder(target: InstallTarget): string {
  return target.env["COPILOT_HOME"] || join(target.userHome, ".copilot");
}

function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(configFolder(target), "session-state");
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .map((session) => join(root, session, "events.jsonl"))
    .filter((file) => existsSync(file))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
