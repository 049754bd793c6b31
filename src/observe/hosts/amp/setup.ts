import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place, Setup } from "../../host.ts";
import { noTranscripts } from "../../no-transcripts.ts";
import { agentsFile } from "../../rules-files.ts";

/** Its plugins are an experiment of its own, and its threads are kept by its maker. */
export const ampSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  ...noTranscripts,
  rulesFiles: agentsFile,
};

function configFolder(place: Place): string {
  return join(place.env["XDG_CONFIG_HOME"] || join(place.userHome, ".config"), "amp");
}
