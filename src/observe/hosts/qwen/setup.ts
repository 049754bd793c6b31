import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { hookCommand } from "../../hook-command.ts";
import { planHooks, withoutHooks } from "../../hook-settings.ts";
import type { Place, PlannedFile, Setup } from "../../host.ts";
import { jsonMcp } from "../../mcp-config.ts";
import { agentsFile } from "../../rules-files.ts";
import { readTranscript } from "./transcript.ts";

export const qwenSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without: (text) => withoutHooks(text, "qwen"),
  transcripts,
  isTranscript: (first) => "uuid" in first && isRecord(first["message"]) && "parts" in first["message"],
  readTranscript,
  mcp: jsonMcp({ path: settingsFile, at: ["mcpServers"] }),
  rulesFiles: agentsFile,
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
  return planHooks({ host: "qwen", path: settingsFile(place), events, hook });
}

function settingsFile(place: Place): string {
  return join(place.project === null ? configFolder(place) : join(place.project, ".qwen"), "settings.json");
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
