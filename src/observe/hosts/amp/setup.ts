import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place, PlannedFile, Setup } from "../../protocol/host.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";
import { hostText } from "../../wiring/host-file.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { agentsFile } from "../../wiring/rules-files.ts";
import { pluginText } from "./plugin.ts";

/** Its threads are kept by its maker: what no plugin told is not known. */
export const ampSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: (place) => [plan(place)],
  without: (text) => (text.includes("\n// Written by oldhand.") ? "" : null),
  ...noTranscripts,
  mcp: jsonMcp({
    path: (place) => (place.project === null ? join(configFolder(place), "settings.json") : null),
    at: ["amp.mcpServers"],
  }),
  rulesFiles: agentsFile,
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

function plan(place: Place): PlannedFile {
  const folder = place.project === null ? configFolder(place) : join(place.project, ".amp");
  const path = join(folder, "plugins", "oldhand.ts");
  return {
    path,
    before: hostText(path),
    after: pluginText(place),
    why: "a plugin that tells oldhand of prompts and calls",
    way: "plugin",
  };
}

function configFolder(place: Place): string {
  return join(place.env["XDG_CONFIG_HOME"] || join(place.userHome, ".config"), "amp");
}
