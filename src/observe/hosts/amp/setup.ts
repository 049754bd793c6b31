import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place, Setup } from "../../protocol/host.ts";
import { jsonMcp } from "../../wiring/mcp-config.ts";
import { noTranscripts } from "../../transcripts/no-transcripts.ts";
import { agentsFile } from "../../wiring/rules-files.ts";

/** Its plugins are an experiment of its own, and its threads are kept by its maker. */
export const ampSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  ...noTranscripts,
  mcp: jsonMcp({
    path: (place) => (place.project === null ? join(configFolder(place), "settings.json") : null),
    at: ["amp.mcpServers"],
  }),
  rulesFiles: agentsFile,
};

function configFolder(place: Place): string {
  return join(place.env["XDG_CONFIG_HOME"] || join(place.userHome, ".config"), "amp");
}
