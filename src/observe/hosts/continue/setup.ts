import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { InstallTarget, Setup } from "../../protocol/host.ts";
import { yamlMcpConfig } from "../../wiring/mcp-config.ts";
import { readTranscript } from "./transcript.ts";

/** Its code has hooks, but never runs them, so none are installed. */
export const continueSetup: Setup = {
  detect: (target) => {
    const folder = configFolder(target);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  transcripts: listTranscripts,
  readTranscript,
  mcp: yamlMcpConfig({
    path: configFile,
    key: "mcpServers",
    isList: true,
  }),
  rulesFiles: () => [
    {
      path: ".continue/rules/oldhand.md",
      head: "---\nname: Rules learned here\nalwaysApply: true\n---\n\n",
    },
  ],
};

/** Only if it exists: if we created it, it would be the user's whole configuration. */
function configFile(target: InstallTarget): string | null {
  const path = join(configFolder(target), "config.yaml");
  return target.project === null && existsSync(path) ? path : null;
}

function configFolder(target: InstallTarget): string {
  return target.env["CONTINUE_GLOBAL_DIR"] || join(target.userHome, ".continue");
}

/** All files except the list of sessions. */
function listTranscripts(target: InstallTarget): readonly string[] {
  const root = join(configFolder(target), "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => name.endsWith(".json") && name !== "sessions.json")
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
