import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord, tryParse } from "../../../lib/json.ts";
import { hookCommand } from "../../wiring/hook-command.ts";
import { planHooks, withoutHooks } from "../../wiring/hook-settings.ts";
import type { Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { markdownCommands } from "../../wiring/person-commands.ts";
import { agentsFile } from "../../wiring/rules-files.ts";
import { isTrue, settingsIn, switchedOff } from "../../wiring/shadows.ts";
import { readTranscript } from "./transcript.ts";

export const droidSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without: (text) => {
    const now = tryParse(text);
    return withoutHooks(text, "droid", !(isRecord(now) && isRecord(now["hooks"])));
  },
  findings: (place) =>
    switchedOff(
      "Factory droid",
      [join(configFolder(place), "settings.json")],
      [{ key: "hooksDisabled", stops: isTrue }],
    ),
  transcripts,
  isTranscript: (first) => first["type"] === "session_start" && "id" in first,
  readTranscript,
  mcp: jsonMcp({
    path: (place) => join(place.project === null ? configFolder(place) : join(place.project, ".factory"), "mcp.json"),
    at: ["mcpServers"],
    entry: (server) => ({ type: "stdio", ...server }),
  }),
  commands: (place) => markdownCommands(place, join(configFolder(place), "commands"), { argument: '"$ARGUMENTS"' }),
  rulesFiles: agentsFile,
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

/** Without UserPromptSubmit: `droid exec` has none, so prompts come from the transcript, and only from there. */
const events = ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

function plan(place: Place): PlannedFile {
  const folder = place.project === null ? configFolder(place) : join(place.project, ".factory");
  // In seconds.
  const hook = { type: "command", command: hookCommand(place), timeout: 5 };
  const path = join(folder, "hooks.json");
  // Where there is a hooks.json, droid no longer reads the hooks among its settings: theirs would stop.
  const settings = join(folder, "settings.json");
  if (!existsSync(path) && isRecord(settingsIn(settings)["hooks"]))
    return planHooks({ host: "droid", path: settings, events, hook });
  return planHooks({ host: "droid", path, events, hook, isBare: true });
}

function configFolder(place: Place): string {
  return join(place.userHome, ".factory");
}

function transcripts(place: Place): readonly string[] {
  const root = join(configFolder(place), "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
