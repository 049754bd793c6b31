import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Finding, Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { isSessionHead } from "../../transcripts/pi-transcript.ts";
import { hostText } from "../../wiring/host-file.ts";
import { markdownCommands } from "../../wiring/person-commands.ts";
import { agentsFile } from "../../wiring/rules-files.ts";
import { extensionText } from "./plugin.ts";
import { readTranscript } from "./transcript.ts";

export const piSetup: Setup = {
  find: (place) => {
    const folder = agentFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without: (text) => (text.includes("\n// Written by oldhand.") ? "" : null),
  findings,
  transcripts,
  isTranscript: isSessionHead,
  readTranscript,
  commands: (place) => markdownCommands(place, join(agentFolder(place), "prompts"), { argument: '"$ARGUMENTS"' }),
  rulesFiles: agentsFile,
  probe: ({ session, cwd }) => ({
    hook: "tool_result",
    session,
    cwd,
    toolName: "bash",
    toolCallId: `call_${session}`,
    input: { command: "echo hello" },
    content: [{ type: "text", text: "hello\n" }],
    isError: false,
    durationMs: 1,
  }),
};

function plan(place: Place): PlannedFile {
  const path = extensionFile(place);
  const before = hostText(path);
  return {
    path,
    before,
    after: extensionText(place),
    why: "an extension that tells oldhand of prompts and calls",
    way: "plugin",
  };
}

/** Whether a project is trusted is its user's to say. */
function findings(place: Place): readonly Finding[] {
  if (place.project === null || !existsSync(extensionFile(place))) return [];
  return [
    {
      level: "note",
      what: "pi loads the extensions of a project only where that project is trusted",
      hint: "start pi there and trust it, or install for all projects: oldhand install pi",
    },
  ];
}

function extensionFile(place: Place): string {
  const folder = place.project === null ? agentFolder(place) : join(place.project, ".pi");
  return join(folder, "extensions", "oldhand.ts");
}

function agentFolder(place: Place): string {
  return place.env["PI_CODING_AGENT_DIR"] || join(place.userHome, ".pi", "agent");
}

/** Their names begin with their time. */
function transcripts(place: Place): readonly string[] {
  const root = place.env["PI_CODING_AGENT_SESSION_DIR"] || join(agentFolder(place), "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .map((name) => join(root, name));
}
