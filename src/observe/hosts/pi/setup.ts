import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Finding, InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { isSessionHead } from "../../transcripts/pi-transcript.ts";
import { readHostFileText } from "../../wiring/host-file.ts";
import { markdownCommands } from "../../wiring/person-commands.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";
import { extensionText } from "./plugin.ts";
import { readTranscript } from "./transcript.ts";

export const piSetup: Setup = {
  detect: (target) => {
    const folder = agentFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (target) => [plan(target)],
  without: (text) => (text.includes("\n// Written by oldhand.") ? "" : null),
  findings: listFindings,
  transcripts: listTranscripts,
  isTranscript: isSessionHead,
  readTranscript,
  commands: (target) => markdownCommands(target, join(agentFolder(target), "prompts"), { argument: '"$ARGUMENTS"' }),
  rulesFiles: listAgentsFile,
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

function plan(target: InstallTarget): PlannedFile {
  const path = extensionFile(target);
  const before = readHostFileText(path);
  return {
    path,
    before,
    after: extensionText(target),
    why: "an extension that sends prompts and calls to oldhand",
    way: "plugin",
  };
}

/** Only the user can trust a project. */
function listFindings(target: InstallTarget): readonly Finding[] {
  if (target.project === null || !existsSync(extensionFile(target))) return [];
  return [
    {
      level: "note",
      what: "pi loads the extensions of a project only if the project is trusted",
      hint: "start pi there and trust it, or install for all projects: oldhand install pi",
    },
  ];
}

function extensionFile(target: InstallTarget): string {
  const folder = target.project === null ? agentFolder(target) : join(target.project, ".pi");
  return join(folder, "extensions", "oldhand.ts");
}

function agentFolder(target: InstallTarget): string {
  return target.env["PI_CODING_AGENT_DIR"] || join(target.userHome, ".pi", "agent");
}

/** The names of the files begin with their time, so they sort by it. */
function listTranscripts(target: InstallTarget): readonly string[] {
  const root = target.env["PI_CODING_AGENT_SESSION_DIR"] || join(agentFolder(target), "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .map((name) => join(root, name));
}
