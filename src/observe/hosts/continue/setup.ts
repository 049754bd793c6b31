import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Place, Setup } from "../../protocol/host.ts";
import { yamlMcp } from "../../wiring/mcp-config.ts";
import { readTranscript } from "./transcript.ts";

/** Its code knows hooks, but never runs them: there is nothing to install for them. */
export const continueSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  transcripts,
  readTranscript,
  mcp: yamlMcp({
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

/** Only where there is one: made by us it would be all the configuration it has. */
function configFile(place: Place): string | null {
  const path = join(configFolder(place), "config.yaml");
  return place.project === null && existsSync(path) ? path : null;
}

function configFolder(place: Place): string {
  return place.env["CONTINUE_GLOBAL_DIR"] || join(place.userHome, ".continue");
}

/** All but the list of them. */
function transcripts(place: Place): readonly string[] {
  const root = join(configFolder(place), "sessions");
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => name.endsWith(".json") && name !== "sessions.json")
    .map((name) => join(root, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}
