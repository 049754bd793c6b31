import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place, Setup } from "../../host.ts";
import { jsonMcp } from "../../mcp-config.ts";
import { noTranscripts } from "../../no-transcripts.ts";
import { agentsFile } from "../../rules-files.ts";

export const openclawSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  ...noTranscripts,
  mcp: jsonMcp({
    path: configFile,
    at: ["mcp", "servers"],
  }),
  rulesFiles: agentsFile,
};

/** Only where there is one: made by us it would be all the configuration it has. */
function configFile(place: Place): string | null {
  const path = join(configFolder(place), "openclaw.json");
  return place.project === null && existsSync(path) ? path : null;
}

function configFolder(place: Place): string {
  return place.env["OPENCLAW_STATE_DIR"] || join(place.userHome, ".openclaw");
}
