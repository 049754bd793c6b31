import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place, Setup } from "../../host.ts";
import { noTranscripts } from "../../no-transcripts.ts";

/** Its code knows hooks, but never runs them: there is nothing to install for them. */
export const continueSetup: Setup = {
  find: (place) => {
    const folder = configFolder(place);
    return existsSync(folder) ? { version: null, folder } : null;
  },
  plan: () => [],
  ...noTranscripts,
  rulesFiles: () => [
    {
      path: ".continue/rules/oldhand.md",
      head: "---\nname: Rules learned here\nalwaysApply: true\n---\n\n",
    },
  ],
};

function configFolder(place: Place): string {
  return place.env["CONTINUE_GLOBAL_DIR"] || join(place.userHome, ".continue");
}
