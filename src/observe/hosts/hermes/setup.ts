import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place, Setup } from "../../protocol/host.ts";
import { yamlMcp } from "../../wiring/mcp-config.ts";
import { agentsFile } from "../../wiring/rules-files.ts";
import { readTranscript } from "./transcript.ts";

/**
 * Its hooks are left alone: one that is late or fails before a call holds that call back, which is not ours to risk
 * with a host that was never run here.
 */
export const hermesSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  transcripts: (place) => [join(configFolder(place), "state.db")].filter((file) => existsSync(file)),
  readTranscript,
  mcp: yamlMcp({
    path: configFile,
    key: "mcp_servers",
  }),
  rulesFiles: agentsFile,
};

/** Only where there is one: made by us it would be all the configuration it has. */
function configFile(place: Place): string | null {
  const path = join(configFolder(place), "config.yaml");
  return place.project === null && existsSync(path) ? path : null;
}

function configFolder(place: Place): string {
  return place.env["HERMES_HOME"] || join(place.userHome, ".hermes");
}
