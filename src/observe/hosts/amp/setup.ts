import { existsSync } from "node:fs";
import { join } from "node:path";
import type { InstallTarget, PlannedFile, Setup } from "../../protocol/host.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";
import { readHostFileText } from "../../wiring/host-file.ts";
import { jsonMcpConfig } from "../../wiring/mcp-config.ts";
import { listAgentsFile } from "../../wiring/rules-files.ts";
import { pluginText } from "./plugin.ts";

/** Amp stores its threads on its servers, so only what the plugin reports is known. */
export const ampSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (target) => [plan(target)],
  without: (text) => (text.includes("\n// Written by oldhand.") ? "" : null),
  ...noTranscripts,
  mcp: jsonMcpConfig({
    path: (target) => (target.project === null ? join(configFolder(target), "settings.json") : null),
    at: ["amp.mcpServers"],
  }),
  rulesFiles: listAgentsFile,
  probe: ({ session, cwd }) => ({
    hook: "tool.result",
    thread: session,
    cwd,
    tool: "Bash",
    toolUseID: `call_${session}`,
    input: { cmd: "echo hello" },
    status: "done",
    output: { output: "hello\n", exitCode: 0 },
    durationMs: 1,
  }),
};

function plan(target: InstallTarget): PlannedFile {
  const folder = target.project === null ? configFolder(target) : join(target.project, ".amp");
  const path = join(folder, "plugins", "oldhand.ts");
  return {
    path,
    before: readHostFileText(path),
    after: pluginText(target),
    why: "a plugin that sends prompts and calls to oldhand",
    way: "plugin",
  };
}

function configFolder(target: InstallTarget): string {
  return join(target.env["XDG_CONFIG_HOME"] || join(target.userHome, ".config"), "amp");
}
