import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place, Setup } from "../../host.ts";
import { noTranscripts } from "../../no-transcripts.ts";
import { agentsFile } from "../../rules-files.ts";

export const hermesSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  ...noTranscripts,
  rulesFiles: agentsFile,
};

function configFolder(place: Place): string {
  return place.env["HERMES_HOME"] || join(place.userHome, ".hermes");
}
