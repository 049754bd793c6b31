import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParse } from "../../../lib/json.ts";
import { hookCommand, isHookCommand } from "../../wiring/hook-command.ts";
import type { Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { hostText } from "../../wiring/host-file.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { skillCommands } from "../../wiring/person-commands.ts";
import { isTrue, switchedOff } from "../../wiring/shadows.ts";
import { readTranscript } from "./transcript.ts";

export const copilotSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without,
  findings: (place) => switchedOff("Copilot CLI", settingsFiles(place), [{ key: "disableAllHooks", stops: isTrue }]),
  transcripts,
  isTranscript: (first) => first["type"] === "session.start" && isRecord(first["data"]),
  readTranscript,
  mcp: jsonMcp({
    path: (place) => (place.project === null ? join(configFolder(place), "mcp-config.json") : null),
    at: ["mcpServers"],
    entry: (server) => ({ type: "local", ...server, tools: ["*"] }),
  }),
  commands: (place) =>
    skillCommands(place, join(configFolder(place), "skills"), {
      argument: '"$ARGUMENTS"',
      sign: "/",
      // Only its user calls them.
      head: ["disable-model-invocation: true"],
    }),
  rulesFiles: () => [{ path: ".github/copilot-instructions.md" }],
  // A prompt: a call that is not in Copilot's own record of the session is left to that record.
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

/** A file of our own: Copilot reads every one in the folder. */
function plan(place: Place): PlannedFile {
  const folder = place.project === null ? join(configFolder(place), "hooks") : join(place.project, ".github", "hooks");
  const path = join(folder, "oldhand.json");
  const command = hookCommand(place);
  const run = place.platform === "win32" && place.team !== true ? { powershell: `& ${command}` } : { bash: command };
  const hook = { type: "command", ...run, timeoutSec: 5 };
  const hooks = Object.fromEntries(events.map((event) => [event, [hook]]));
  return {
    path,
    before: hostText(path),
    after: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`,
    why: `hooks for ${events.join(", ")}`,
  };
}

/** For a file of ours that others wrote to since. */
function without(text: string): string | null {
  const now = tryParse(text);
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

function settingsFiles(place: Place): readonly string[] {
  const near = place.project ?? place.near;
  const own = ["settings.json", "config.json"].map((name) => join(configFolder(place), name));
  return near === undefined ? own : [...own, join(near, ".github", "copilot", "settings.json")];
}

function configFolder(place: Place): string {
  return place.env["COPILOT_HOME"] || join(place.userHome, ".copilot");
}

function transcripts(place: Place): readonly string[] {
  const root = join(configFolder(place), "session-state");
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .map((session) => join(root, session, "events.jsonl"))
    .filter((file) => existsSync(file))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
